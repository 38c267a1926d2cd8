// The memory around a core, and the programs that come on standard input, a line each:
//
//     <wait states> <cycles at most> <image in hexadecimal> <count> {<cycle> <lines>}
//
// The lines of interrupts that rise by themselves come in the order of their cycles: 1 is the
// timer's, 2 that of software, 4 a device's.
//
// A line is answered by one: the address and the cycle of each instruction that retires, in
// hexadecimal and relative to the one before.
#pragma once
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

struct Memory {
  static constexpr uint32_t BYTES = 256 << 10;
  static constexpr uint32_t PAGE = 0xf0000000;
  std::vector<uint8_t> ram;
  unsigned lines = 0;
  bool stopped = false;
  std::vector<std::pair<int64_t, unsigned>> rises;
  size_t risen = 0;

  void advance(int64_t cycle) {
    for (; risen < rises.size() && rises[risen].first <= cycle; risen++)
      lines |= rises[risen].second;
  }

  uint32_t read(uint32_t address) const {
    if (address >= PAGE) return 0;
    const uint8_t *at = &ram[address % BYTES & ~3u];
    return at[0] | at[1] << 8 | at[2] << 16 | uint32_t(at[3]) << 24;
  }

  void write(uint32_t address, uint32_t value, unsigned lanes) {
    if (address >= PAGE) {
      switch (address & 0xfc) {
        case 4: stopped = true; break;
        case 8: lines = value & 7; break;
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
  size_t count;
  std::string image;
  while (std::cin >> wait >> limit >> image >> count) {
    Memory memory;
    memory.rises.resize(count);
    for (auto &rise : memory.rises) std::cin >> rise.first >> rise.second;
    memory.ram.assign(Memory::BYTES, 0);
    for (size_t i = 0; i + 1 < image.size() && i / 2 < Memory::BYTES; i += 2)
      memory.ram[i / 2] = uint8_t(std::stoul(image.substr(i, 2), nullptr, 16));
    Trace trace;
    run(memory, wait, limit, trace);
    std::cout << trace.text << (memory.stopped ? "." : "?") << std::endl;
  }
}
