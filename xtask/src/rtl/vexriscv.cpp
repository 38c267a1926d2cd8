#include "bench.h"
#include "Vbench.h"
#include "verilated.h"

// A port acknowledges in the cycle that is `wait` behind the one in which it is asked.
struct Port {
  unsigned waited = 0;
  bool acknowledges(bool asked, unsigned wait) const { return asked && waited == wait; }
  void clock(bool asked, bool acknowledged) { waited = asked && !acknowledged ? waited + 1 : 0; }
};

static void run(Memory &memory, unsigned wait, uint64_t limit, Trace &trace) {
  VerilatedContext context;
  Vbench core(&context);
  Port instructions, data;
  for (int64_t cycle = -4; cycle < int64_t(limit) && !memory.stopped; cycle++) {
    core.reset = cycle < 0;
    memory.advance(cycle);
    core.timer = memory.lines & 1;
    core.software = memory.lines >> 1 & 1;
    core.lines = memory.lines & 4;
    core.clk = 0;
    core.eval();
    bool i_asked = core.i_stb, d_asked = core.d_stb;
    core.i_ack = instructions.acknowledges(i_asked, wait);
    core.d_ack = data.acknowledges(d_asked, wait);
    core.i_data = memory.read(core.i_address << 2);
    core.d_read = memory.read(core.d_address << 2);
    core.eval();
    if (cycle >= 0) {
      if (core.retires) trace.retire(core.pc, cycle);
      if (core.d_ack && core.d_write)
        memory.write(core.d_address << 2, core.d_written, core.d_lanes);
      instructions.clock(i_asked, core.i_ack);
      data.clock(d_asked, core.d_ack);
    }
    core.clk = 1;
    core.eval();
  }
  core.final();
}

int main() { serve(run); }
