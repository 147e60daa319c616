// SPDX-License-Identifier: Apache-2.0
//
// Runs the C driver on a simulated core: every access to a register becomes a transfer on the bus,
// with random pauses of the master. Reads commands from a file, and writes what came of them.
//
// Compiled with Verilator's model as Vmodel and one of RSM_AXI4_LITE, RSM_WISHBONE and RSM_APB.
//
// Arguments: the file of commands, the file of answers, a seed, the chance of a pause in 256, and
// patience. A command is a byte and its operands, numbers little-endian in 4 bytes:
//   'K' slot, bytes, key                                  rsm_load_key
//   'M' decrypt, slot, 4 lengths (IV, associated data, text, tag), whether there is an `out`,
//       IV, data, text, tag                               rsm_run
//   'C', 'T'                                              rsm_clear, rsm_self_test
//   'X' address, value                                    a write behind the driver's back
// The answer is the result in 4 bytes, and of 'M' the text and the tag. The first answer is that of
// rsm_open.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

#include "Vmodel.h"
#include "rsm.h"
#include "verilated.h"

namespace {

// Not zero, so that nobody forgets to add it.
constexpr uintptr_t kBase = 0x40001000;

std::unique_ptr<Vmodel> model;
uint64_t cycles = 0, accesses = 0, state = 1;
int chance = 0;

bool pause() {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return static_cast<int>(state % 256) < chance;
}

void tick() {
  model->clk_i = 1;
  model->eval();
  model->clk_i = 0;
  model->eval();
  if (++cycles > 200'000'000) {
    std::fprintf(stderr, "the simulation does not end\n");
    std::exit(1);
  }
}

void rest() {
  while (pause()) tick();
}

// One transfer; the bus may take as long as it likes, but not for ever.
void must_end(int waited) {
  if (waited > 100) {
    std::fprintf(stderr, "the bus does not answer\n");
    std::exit(1);
  }
}

#if defined(RSM_AXI4_LITE)
void transfer(bool write, uint8_t address, uint32_t& word) {
  bool sent = false, data = !write, done = false;
  for (int waited = 0; !done; must_end(waited++)) {
    if (write) {
      model->s_axi_awvalid = !sent && !pause();
      model->s_axi_wvalid = !data && !pause();
      model->s_axi_awaddr = address;
      model->s_axi_wdata = word;
      model->s_axi_wstrb = 0xf;
      model->s_axi_bready = !pause();
    } else {
      model->s_axi_arvalid = !sent && !pause();
      model->s_axi_araddr = address;
      model->s_axi_rready = !pause();
    }
    model->eval();
    if (write) {
      sent |= model->s_axi_awvalid && model->s_axi_awready;
      data |= model->s_axi_wvalid && model->s_axi_wready;
      done = model->s_axi_bvalid && model->s_axi_bready;
    } else {
      sent |= model->s_axi_arvalid && model->s_axi_arready;
      done = model->s_axi_rvalid && model->s_axi_rready;
      if (done) word = model->s_axi_rdata;
    }
    tick();
  }
  model->s_axi_awvalid = model->s_axi_wvalid = model->s_axi_arvalid = 0;
  model->s_axi_bready = model->s_axi_rready = 0;
}
#elif defined(RSM_WISHBONE)
void transfer(bool write, uint8_t address, uint32_t& word) {
  model->wb_cyc = model->wb_stb = 1;
  model->wb_we = write;
  model->wb_adr = address;
  model->wb_dat_w = word;
  model->wb_sel = 0xf;
  for (int waited = 0;; must_end(waited++)) {
    model->eval();
    bool done = model->wb_ack || model->wb_err;
    if (done) word = model->wb_dat_r;
    tick();
    if (done) break;
  }
  model->wb_cyc = model->wb_stb = 0;
}
#elif defined(RSM_APB)
void transfer(bool write, uint8_t address, uint32_t& word) {
  model->s_apb_psel = 1;
  model->s_apb_penable = 0;
  model->s_apb_pwrite = write;
  model->s_apb_paddr = address;
  model->s_apb_pwdata = word;
  model->s_apb_pstrb = write ? 0xf : 0;
  tick();
  model->s_apb_penable = 1;
  for (int waited = 0;; must_end(waited++)) {
    model->eval();
    bool done = model->s_apb_pready;
    if (done) word = model->s_apb_prdata;
    tick();
    if (done) break;
  }
  model->s_apb_psel = model->s_apb_penable = 0;
}
#endif

// The commands, byte by byte.
std::vector<uint8_t> given;
size_t at = 0;

std::vector<uint8_t> string(size_t bytes) {
  std::vector<uint8_t> found(given.begin() + at, given.begin() + at + bytes);
  at += bytes;
  return found;
}

uint32_t number() {
  uint32_t value = 0;
  for (int i = 0; i < 4; i++) value |= static_cast<uint32_t>(given[at++]) << (8 * i);
  return value;
}

}  // namespace

extern "C" uint32_t rsm_io_read(uintptr_t address) {
  uint32_t word = 0;
  rest();
  transfer(false, static_cast<uint8_t>(address - kBase), word);
  accesses++;
  return word;
}

extern "C" void rsm_io_write(uintptr_t address, uint32_t value) {
  rest();
  transfer(true, static_cast<uint8_t>(address - kBase), value);
  accesses++;
}

int main(int, char** argv) {
  std::ifstream file(argv[1], std::ios::binary);
  given.assign(std::istreambuf_iterator<char>(file), {});
  std::ofstream answers(argv[2], std::ios::binary);
  state = std::strtoull(argv[3], nullptr, 10) * 0x9e3779b97f4a7c15u + 1;
  chance = std::atoi(argv[4]);

  auto answer = [&](rsm_result result) {
    for (int i = 0; i < 4; i++) answers.put(static_cast<char>(result >> (8 * i)));
  };

  VerilatedContext context;
  context.randReset(2);
  context.randSeed(static_cast<int>(state % 1000000));
  model = std::make_unique<Vmodel>(&context);
  model->clear_i = 0;
  model->rst_ni = 0;
#if defined(RSM_AXI4_LITE)
  model->s_axi_awvalid = model->s_axi_wvalid = model->s_axi_arvalid = 0;
#elif defined(RSM_WISHBONE)
  model->wb_cyc = model->wb_stb = 0;
#else
  model->s_apb_psel = model->s_apb_penable = 0;
#endif
  for (int i = 0; i < 4; i++) tick();
  model->rst_ni = 1;

  rsm_device device;
  answer(rsm_open(&device, kBase, static_cast<uint32_t>(std::atoi(argv[5]))));
  while (at < given.size()) {
    switch (given[at++]) {
      case 'K': {
        uint32_t slot = number(), bytes = number();
        answer(rsm_load_key(&device, slot, string(bytes).data(), bytes));
        break;
      }
      case 'M': {
        rsm_message m = {};
        m.decrypt = number() != 0;
        m.slot = number();
        m.iv_bytes = number();
        m.aad_bytes = number();
        m.text_bytes = number();
        m.tag_bytes = number();
        bool has_out = number() != 0;
        std::vector<uint8_t> iv = string(m.iv_bytes), aad = string(m.aad_bytes);
        std::vector<uint8_t> text = string(m.text_bytes), tag = string(m.tag_bytes);
        m.iv = iv.data();
        m.aad = aad.data();
        m.text = text.data();
        m.out = has_out ? text.data() : nullptr;  // in place
        m.tag = tag.data();
        answer(rsm_run(&device, &m));
        answers.write(reinterpret_cast<char*>(text.data()), text.size());
        answers.write(reinterpret_cast<char*>(tag.data()), tag.size());
        break;
      }
      case 'C':
        answer(rsm_clear(&device));
        break;
      case 'T':
        answer(rsm_self_test(&device));
        break;
      case 'X': {
        uint32_t address = number(), value = number();
        rsm_io_write(kBase + address, value);
        answer(RSM_OK);
        break;
      }
      default:
        std::fprintf(stderr, "no such command\n");
        return 1;
    }
  }
  model->final();
  model.reset();
  std::printf("%llu cycles, %llu accesses\n", static_cast<unsigned long long>(cycles),
              static_cast<unsigned long long>(accesses));
  return 0;
}
