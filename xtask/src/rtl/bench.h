// The memory around a core, and the programs that come on standard input, a line each:
//
//     <wait states> <cycles at most> <image in hexadecimal>
//
// A line is answered by one: the address and the cycle of each instruction that retires, in
// hexadecimal and relative to the one before.
#pragma once
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

struct Memory {
  static constexpr uint32_t BYTES = 256 << 10;
  static constexpr uint32_t PAGE = 0xf0000000;
  std::vector<uint8_t> ram;
  bool timer = false, stopped = false;

  uint32_t read(uint32_t address) const {
    if (address >= PAGE) return 0;
    const uint8_t *at = &ram[address % BYTES & ~3u];
    return at[0] | at[1] << 8 | at[2] << 16 | uint32_t(at[3]) << 24;
  }

  void write(uint32_t address, uint32_t value, unsigned lanes) {
    if (address >= PAGE) {
      switch (address & 0xfc) {
        case 4: stopped = true; break;
        case 8: timer = value & 1; break;
      }
      return;
    }
    for (int lane = 0; lane < 4; lane++)
      if (lanes >> lane & 1) ram[(address % BYTES & ~3u) + lane] = value >> (8 * lane);
  }
};

struct Trace {
  std::string text;
  uint32_t pc = 0;
  uint64_t cycle = 0;

  void retire(uint32_t at, uint64_t now) {
    char word[40];
    snprintf(word, sizeof word, "%x:%x ", at - pc, unsigned(now - cycle));
    text += word;
    pc = at;
    cycle = now;
  }
};

template <class Run> void serve(Run run) {
  unsigned wait;
  uint64_t limit;
  std::string image;
  while (std::cin >> wait >> limit >> image) {
    Memory memory;
    memory.ram.assign(Memory::BYTES, 0);
    for (size_t i = 0; i + 1 < image.size() && i / 2 < Memory::BYTES; i += 2)
      memory.ram[i / 2] = uint8_t(std::stoul(image.substr(i, 2), nullptr, 16));
    Trace trace;
    run(memory, wait, limit, trace);
    std::cout << trace.text << (memory.stopped ? "." : "?") << std::endl;
  }
}
