#include "bench.h"
#include "Vbench.h"
#include "verilated.h"

// A port grants a request if none is outstanding or the outstanding one completes.
struct Port {
  unsigned left = 0;
  bool valid() const { return left == 1; }
  bool grants(bool asked) const { return asked && left <= 1; }
  void clock(bool granted, unsigned wait) {
    if (left) left--;
    if (granted) left = 1 + wait;
  }
};

static void run(Memory &memory, unsigned wait, uint64_t limit, Trace &trace) {
  VerilatedContext context;
  Vbench core(&context);
  Port instructions, data;
  uint32_t i_word = 0, d_word = 0;
  // Flip-flops begin with the edge of the reset, which their gated clock would not bring.
  core.reset = 0;
  core.eval();
  for (int64_t cycle = -4; cycle < int64_t(limit) && !memory.stopped; cycle++) {
    core.reset = cycle < 0;
    memory.advance(cycle);
    core.timer = memory.lines & 1;
    core.software = memory.lines >> 1 & 1;
    core.external = memory.lines >> 2 & 1;
    core.i_valid = instructions.valid();
    core.d_valid = data.valid();
    core.i_data = i_word;
    core.d_read = d_word;
    core.i_grant = core.d_grant = 0;
    core.clk = 0;
    core.eval();
    // The address may depend on the grant of the cycle before only.
    bool i_granted = instructions.grants(core.i_request);
    bool d_granted = data.grants(core.d_request);
    core.i_grant = i_granted;
    core.d_grant = d_granted;
    core.eval();
    if (cycle >= 0) {
      if (core.retires) trace.retire(core.pc, cycle);
      if (i_granted) i_word = memory.read(core.i_address);
      if (d_granted) d_word = memory.read(core.d_address);
      if (d_granted && core.d_write) memory.write(core.d_address, core.d_written, core.d_lanes);
      instructions.clock(i_granted, wait);
      data.clock(d_granted, wait);
    }
    core.clk = 1;
    core.eval();
  }
  core.final();
}

int main() { serve(run); }
