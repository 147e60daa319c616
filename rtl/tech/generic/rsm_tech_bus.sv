// SPDX-License-Identifier: Apache-2.0
//
// A bus that one of several sources drives (Chodowiec and Gaj 2003, 3.5, has 3-state buffers for
// it). Exactly one bit of `enable_i` is high, whatever the data. The generic form: AND and OR.
//
// Latency: 0.
module rsm_tech_bus #(
  parameter int unsigned Width   = 8,
  parameter int unsigned Sources = 2
) (
  input  logic [Sources-1:0]            enable_i,
  input  logic [Sources-1:0][Width-1:0] data_i,
  output logic [Width-1:0]              bus_o
);

  if (Sources == 2) begin : gen_two
    // One of two: a multiplexer, so that synthesis need not find out that enables exclude
    // one another.
    logic unused_enable;

    assign unused_enable = enable_i[0];
    assign bus_o         = enable_i[1] ? data_i[1] : data_i[0];
  end else begin : gen_many
    always_comb begin
      bus_o = '0;
      for (int unsigned i = 0; i < Sources; i++) begin
        bus_o |= {Width{enable_i[i]}} & data_i[i];
      end
    end
  end

endmodule
