// Allow-list check for TeX that comes from a model.
//
// What typesets formulas has commands that write styles, attributes and links, define commands, or load more of them. Only those below are
// known to draw what they are given and nothing else.

const letters = (from: string) => from.trim().split(/\s+/);

const COMMANDS = new Set(
  letters(`
  alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa varkappa lambda mu nu xi omicron pi varpi rho varrho sigma
  varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega digamma aleph beth gimel daleth
  ell hbar hslash imath jmath wp Re Im partial nabla infty emptyset varnothing forall exists nexists neg lnot top bot angle measuredangle
  sphericalangle triangle square Box Diamond diamond lozenge blacksquare blacklozenge blacktriangle bigstar clubsuit diamondsuit heartsuit
  spadesuit flat natural sharp surd prime backprime dagger ddagger dag ddag S P copyright pounds checkmark complement eth mho degree
  ldots cdots vdots ddots dots dotsc dotsb dotsm dotsi dotso colon cdotp ldotp
  pm mp times div cdot ast star circ bullet cap cup uplus sqcap sqcup vee wedge lor land setminus smallsetminus wr amalg oplus ominus otimes
  oslash odot bigcirc dotplus ltimes rtimes leftthreetimes rightthreetimes curlywedge curlyvee barwedge veebar intercal boxplus boxminus
  boxtimes boxdot circledast circledcirc circleddash divideontimes triangleleft triangleright bigtriangleup bigtriangledown Cap Cup
  leq le leqq leqslant geq ge geqq geqslant ll gg lll ggg neq ne equiv sim simeq approx approxeq cong ncong propto varpropto doteq triangleq
  coloneqq eqqcolon subset supset subseteq supseteq subsetneq supsetneq nsubseteq nsupseteq sqsubset sqsupset sqsubseteq sqsupseteq in ni
  notin owns mid nmid parallel nparallel perp vdash dashv models vDash Vdash Vvdash nvdash nvDash asymp bowtie smile frown prec succ preceq
  succeq precsim succsim lesssim gtrsim lessgtr gtrless lessapprox gtrapprox nless ngtr nleq ngeq nprec nsucc between pitchfork therefore
  because lt gt not bumpeq Bumpeq backsim backsimeq thicksim thickapprox Subset Supset vartriangle
  leftarrow gets rightarrow to leftrightarrow Leftarrow Rightarrow Leftrightarrow longleftarrow longrightarrow longleftrightarrow
  Longleftarrow Longrightarrow Longleftrightarrow implies impliedby iff mapsto longmapsto hookleftarrow hookrightarrow uparrow downarrow
  updownarrow Uparrow Downarrow Updownarrow nearrow searrow swarrow nwarrow leftharpoonup leftharpoondown rightharpoonup rightharpoondown
  rightleftharpoons leftrightharpoons rightleftarrows leftrightarrows twoheadrightarrow twoheadleftarrow rightsquigarrow leadsto nrightarrow
  nleftarrow nRightarrow nLeftarrow upharpoonright upharpoonleft restriction multimap circlearrowleft circlearrowright curvearrowleft
  curvearrowright xleftarrow xrightarrow xleftrightarrow xRightarrow xLeftarrow
  sum prod coprod int iint iiint iiiint oint bigcap bigcup bigvee bigwedge bigoplus bigotimes bigodot biguplus bigsqcup intop smallint
  limits nolimits displaylimits displaystyle textstyle scriptstyle scriptscriptstyle substack sideset
  arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf injlim ker lg lim liminf limsup ln log max min mod bmod pmod pod
  Pr projlim sec sin sinh sup tan tanh varinjlim varliminf varlimsup varprojlim operatorname argmax argmin
  frac dfrac tfrac cfrac binom dbinom tbinom genfrac sqrt root of over choose atop brace brack
  left right middle big Big bigg Bigg bigl Bigl biggl Biggl bigr Bigr biggr Biggr bigm Bigm biggm Biggm lbrace rbrace lbrack rbrack langle
  rangle lvert rvert lVert rVert vert Vert lfloor rfloor lceil rceil lgroup rgroup lmoustache rmoustache ulcorner urcorner llcorner lrcorner
  urlcorner backslash
  hat widehat check tilde widetilde acute grave dot ddot dddot ddddot breve bar vec mathring overline underline overbrace underbrace
  overleftarrow overrightarrow overleftrightarrow underleftarrow underrightarrow underleftrightarrow overset underset stackrel
  boxed phantom hphantom vphantom smash
  text textrm textbf textit textsf texttt textnormal mbox mathrm mathbf mathit mathsf mathtt mathbb mathcal mathscr mathfrak mathnormal
  boldsymbol bm pmb rm bf it sf tt cal Bbb scr frak mathord mathop mathbin mathrel mathopen mathclose mathpunct mathinner mathstrut strut
  quad qquad enspace thinspace medspace thickspace negthinspace negmedspace negthickspace space nobreakspace
  color textcolor tag notag nonumber hline hdashline cr newline begin end
`)
);

const ENVIRONMENTS = new Set(
  letters(`
  equation equation* align align* aligned alignat alignat* alignedat gather gather* gathered multline multline* split eqnarray eqnarray* array
  subarray matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix cases dcases rcases
`)
);

/** Values of styles that fetch nothing. */
const PLAIN = /^(?:[^()\\]|\b(?:rgba?|hsla?|calc|translate[XY]?|scale[XY]?|rotate)\([^()\\]*\))*$/;

/** Whether a text with formulas can be typeset without loading anything: it has no commands but those that draw. */
export function isSafeToTypeset(text: string): boolean {
  const environments = text.replace(/\\\\/g, ' ').matchAll(/\\(?:begin|end)(?![A-Za-z])(?:\s*\{([^{}]*)\})?/g);
  return (
    [...text.matchAll(/\\([A-Za-z]+|[^])/g)].every(([, name]) => !/^[A-Za-z]/.test(name) || COMMANDS.has(name)) &&
    [...environments].every(([, name]) => ENVIRONMENTS.has(name?.trim() ?? ''))
  );
}

/** What stands in an element and is no code: what typesets formulas leaves code alone. */
export function typesetText(host: Element): string {
  const copy = host.cloneNode(true) as Element;
  copy.querySelectorAll('code, pre').forEach(code => code.replaceWith(' '));
  copy.querySelectorAll('br').forEach(line => line.replaceWith('\n'));
  return copy.textContent ?? '';
}

/** Take styles that could fetch something, or cover the page, from all elements below. The list of commands is not the only wall. */
export function stripStyles(host: Element): void {
  for (const { style } of host.querySelectorAll<HTMLElement>('[style]')) {
    for (const name of [...style]) {
      const value = style.getPropertyValue(name);
      if (!PLAIN.test(value) || (name === 'position' && value !== 'relative')) {
        style.removeProperty(name);
      }
    }
  }
}
