      s_apb_psel    = 1'b1;
      s_apb_penable = 1'b0;
      s_apb_pwrite  = write;
      s_apb_paddr   = address;
      s_apb_pwdata  = word;
      s_apb_pstrb   = write ? 4'hf : 4'h0;
      @(negedge clk_i);
      s_apb_penable = 1'b1;
      while (!done && cycles < Limit) begin
        #1;
        answer = s_apb_prdata;
        done   = s_apb_pready;
        if (done && s_apb_pslverr) fail("an error", 0, address);
        @(negedge clk_i);
        cycles = cycles + 1;
      end
      s_apb_psel    = 1'b0;
      s_apb_penable = 1'b0;
