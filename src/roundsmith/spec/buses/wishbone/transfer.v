      wb_cyc   = 1'b1;
      wb_stb   = 1'b1;
      wb_we    = write;
      wb_adr   = address;
      wb_dat_w = word;
      wb_sel   = 4'hf;
      while (!done && cycles < Limit) begin
        #1;
        answer = wb_dat_r;
        done   = wb_ack || wb_err;
        if (wb_err) fail("an error", 0, address);
        @(negedge clk_i);
        cycles = cycles + 1;
      end
      wb_cyc = 1'b0;
      wb_stb = 1'b0;
