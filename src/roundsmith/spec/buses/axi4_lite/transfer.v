      s_axi_awaddr  = address;
      s_axi_araddr  = address;
      s_axi_wdata   = word;
      s_axi_wstrb   = 4'hf;
      s_axi_awvalid = write;
      s_axi_wvalid  = write;
      s_axi_arvalid = !write;
      s_axi_bready  = lfsr[4];
      s_axi_rready  = lfsr[5];
      while (!done && cycles < Limit) begin
        #1;
        answer = s_axi_rdata;
        done   = write ? s_axi_bvalid && s_axi_bready : s_axi_rvalid && s_axi_rready;
        if (done && (write ? s_axi_bresp : s_axi_rresp) != 0) fail("an error", 0, address);
        begin : handshakes
          reg aw;
          reg w;
          reg ar;
          aw = s_axi_awready;
          w  = s_axi_wready;
          ar = s_axi_arready;
          @(negedge clk_i);
          if (aw) s_axi_awvalid = 1'b0;
          if (w)  s_axi_wvalid  = 1'b0;
          if (ar) s_axi_arvalid = 1'b0;
        end
        cycles       = cycles + 1;
        s_axi_bready = 1'b1;
        s_axi_rready = 1'b1;
      end
      s_axi_bready = 1'b0;
      s_axi_rready = 1'b0;
