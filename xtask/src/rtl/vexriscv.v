// A VexRiscv and the signals by which it tells what retires.
module bench (
  input clk, input reset, input timer, input software, input [31:0] lines,
  output i_stb, input i_ack, output [29:0] i_address, input [31:0] i_data,
  output d_stb, input d_ack, output d_write, output [3:0] d_lanes,
  output [29:0] d_address, input [31:0] d_read, output [31:0] d_written,
  output retires, output [31:0] pc
);
  VexRiscv core (
    .externalResetVector(32'h40000080), .timerInterrupt(timer), .softwareInterrupt(software),
    .externalInterruptArray(lines),
    .iBusWishbone_CYC(), .iBusWishbone_STB(i_stb), .iBusWishbone_ACK(i_ack),
    .iBusWishbone_WE(), .iBusWishbone_ADR(i_address), .iBusWishbone_DAT_MISO(i_data),
    .iBusWishbone_DAT_MOSI(), .iBusWishbone_SEL(), .iBusWishbone_ERR(1'b0),
    .iBusWishbone_CTI(), .iBusWishbone_BTE(),
    .dBusWishbone_CYC(), .dBusWishbone_STB(d_stb), .dBusWishbone_ACK(d_ack),
    .dBusWishbone_WE(d_write), .dBusWishbone_ADR(d_address), .dBusWishbone_DAT_MISO(d_read),
    .dBusWishbone_DAT_MOSI(d_written), .dBusWishbone_SEL(d_lanes), .dBusWishbone_ERR(1'b0),
    .dBusWishbone_CTI(), .dBusWishbone_BTE(),
    .clk(clk), .reset(reset)
  );
  assign retires = core.lastStageIsFiring;
  assign pc = core.lastStagePc;
endmodule
