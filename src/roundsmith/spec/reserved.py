"""Words that no core may be called: its name becomes an identifier in several languages.

The module, the entity, the class for LiteX, the names of files and the arguments of scripts are all
made of the name of a spec, with `_` for `-`.
"""

import keyword

#: The prefix of every module and package of the RTL library.
PREFIX = "rsm"

# IEEE 1800-2017, annex B; it has all words of Verilog (IEEE 1364-2005, annex B).
_SYSTEMVERILOG = """
accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before
begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class
clocking cmos config const constraint context continue cover covergroup coverpoint cross deassign
default defparam design disable dist do edge else end endcase endchecker endclass endclocking
endconfig endfunction endgenerate endgroup endinterface endmodule endpackage endprimitive endprogram
endproperty endspecify endsequence endtable endtask enum event eventually expect export extends
extern final first_match for force foreach forever fork forkjoin function generate genvar global
highz0 highz1 if iff ifnone ignore_bins illegal_bins implements implies import incdir include
initial inout input inside instance int integer interconnect interface intersect join join_any
join_none large let liblist library local localparam logic longint macromodule matches medium
modport module nand negedge nettype new nexttime nmos nor noshowcancelled not notif0 notif1 null or
output package packed parameter pmos posedge primitive priority program property protected pull0
pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence
rcmos real realtime ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0
rtranif1 s_always s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal
showcancelled signed small soft solve specify specparam static string strong strong0 strong1 struct
super supply0 supply1 sync_accept_on sync_reject_on table tagged task this throughout time
timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef union
unique unique0 unsigned until until_with untyped use uwire var vectored virtual void wait wait_order
wand weak weak0 weak1 while wildcard wire with within wor xnor xor
"""

# IEEE 1076-2008, 15.10.
_VHDL = """
abs access after alias all and architecture array assert assume assume_guarantee attribute begin
block body buffer bus case component configuration constant context cover default disconnect downto
else elsif end entity exit fairness file for force function generate generic group guarded if impure
in inertial inout is label library linkage literal loop map mod nand new next nor not null of on
open or others out package parameter port postponed procedure process property protected pure range
record register reject release rem report restrict restrict_guarantee return rol ror select sequence
severity shared signal sla sll sra srl strong subtype then to transport type unaffected units until
use variable vmode vprop vunit wait when while with xnor xor
"""

# ISO/IEC 9899:2018, 6.4.1, and ISO/IEC 14882:2020, 5.11 and 5.10: models of Verilator are C++.
_C = """
alignas alignof and and_eq asm atomic auto bitand bitor bool break case catch char char8_t char16_t
char32_t class co_await co_return co_yield compl complex concept const const_cast consteval
constexpr constinit continue decltype default delete do double dynamic_cast else enum explicit
export extern false final float for friend goto if imaginary import inline int long main module
mutable namespace new noexcept noreturn not not_eq nullptr operator or or_eq override private
protected public register reinterpret_cast requires restrict return short signed sizeof static
static_assert static_cast std struct switch template this thread_local throw true try typedef typeid
typename union unsigned using virtual void volatile wchar_t while xor xor_eq
"""

# The commands of Tcl 8.6 that every interpreter has.
_TCL = """
after append apply array auto_execok auto_import auto_load auto_load_index auto_mkindex auto_qualify
auto_reset bgerror binary break catch cd chan clock close concat continue coroutine dict encoding
eof error eval exec exit expr fblocked fconfigure fcopy file fileevent filename flush for foreach
format gets glob global history http if incr info interp join lappend lassign lindex linsert list
llength lmap load lrange lrepeat lreplace lreverse lsearch lset lsort memory msgcat namespace open
package parray pid proc puts pwd re_syntax read refchan regexp registry regsub rename return safe
scan seek set socket source split string subst switch tailcall tcltest tclvars tell throw time tm
trace transchan try unknown unload unset update uplevel upvar variable vwait while yield yieldto
zlib
"""

# The library in which VHDL works, and what testbenches and scripts call their own.
_TOOLS = "work top test testbench tb dut"

_WORDS = {
    "SystemVerilog": _SYSTEMVERILOG,
    "VHDL": _VHDL,
    "C or C++": _C,
    "Python": " ".join(keyword.kwlist).lower(),
    "Tcl": _TCL,
    "simulators and flows": _TOOLS,
}


def objection(name: str) -> str | None:
    """Return why a core cannot have `name`, as the end of a sentence; None where it can."""
    word = name.replace("-", "_")
    for language, words in _WORDS.items():
        if word in words.split():
            return f"is a word of {language}; choose another, such as '{name}-core'"
    if name.split("-")[0] == PREFIX:
        return f"begins with '{PREFIX}', as the modules of the library do; choose another name"
    return None
