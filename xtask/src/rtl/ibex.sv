// An Ibex and the signals by which it tells what retires. The cells that a technology gives are
// plain ones.
module prim_buf #(parameter int Width = 1) (
  input [Width-1:0] in_i, output logic [Width-1:0] out_o
);
  assign out_o = in_i;
endmodule

module prim_flop #(parameter int Width = 1, parameter logic [Width-1:0] ResetValue = 0) (
  input clk_i, input rst_ni, input [Width-1:0] d_i, output logic [Width-1:0] q_o
);
  always_ff @(posedge clk_i or negedge rst_ni) if (!rst_ni) q_o <= ResetValue; else q_o <= d_i;
endmodule

module prim_clock_gating #(parameter bit NoFpgaGate = 0, parameter bit FpgaBufGlobal = 1) (
  input clk_i, input en_i, input test_en_i, output logic clk_o
);
  logic enabled;
  always_latch if (!clk_i) enabled = en_i | test_en_i;
  assign clk_o = enabled & clk_i;
endmodule

module bench import ibex_pkg::*; (
  input clk, input reset, input timer, input software, input external,
  output i_request, input i_grant, input i_valid, output [31:0] i_address, input [31:0] i_data,
  output d_request, input d_grant, input d_valid, output d_write, output [3:0] d_lanes,
  output [31:0] d_address, output [31:0] d_written, input [31:0] d_read,
  output retires, output [31:0] pc
);
  ibex_top #(
    .PMPEnable(`PROTECTION), .PMPNumRegions(16), .RV32M(`MULTIPLIER),
    .BranchTargetALU(`BRANCH_ADDER), .WritebackStage(`WRITEBACK)
  ) core (
    .clk_i(clk), .rst_ni(!reset), .test_en_i(1'b0), .ram_cfg_i('0), .hart_id_i(0),
    .boot_addr_i(32'h80000000),
    .instr_req_o(i_request), .instr_gnt_i(i_grant), .instr_rvalid_i(i_valid),
    .instr_addr_o(i_address), .instr_rdata_i(i_data), .instr_rdata_intg_i('0), .instr_err_i(1'b0),
    .data_req_o(d_request), .data_gnt_i(d_grant), .data_rvalid_i(d_valid), .data_we_o(d_write),
    .data_be_o(d_lanes), .data_addr_o(d_address), .data_wdata_o(d_written),
    .data_rdata_i(d_read), .data_rdata_intg_i('0), .data_err_i(1'b0),
    .irq_software_i(software), .irq_timer_i(timer), .irq_external_i(external), .irq_fast_i('0),
    .irq_nm_i(1'b0), .scramble_key_valid_i(1'b0), .scramble_key_i('0), .scramble_nonce_i('0),
    .debug_req_i(1'b0), .fetch_enable_i(IbexMuBiOn), .scan_rst_ni(1'b1),
    .rvfi_valid(retires), .rvfi_pc_rdata(pc)
  );
endmodule
