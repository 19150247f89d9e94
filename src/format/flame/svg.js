/*
 * The picture comes to life: boxes are drawn anew from the data, so that they
 * can be zoomed, searched and turned around. Measures are those of svg.c.
 */
(function () {
  const SIDE = 10, ROW = 18, LETTER = 7.2;
  const NS = "http://www.w3.org/2000/svg";
  const XHTML = "http://www.w3.org/1999/xhtml";
  const svg = document.documentElement;
  const byId = id => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const t = readTrace(data);
  const own = ownWeights(t);
  const LEGEND = t.diff ? 18 : 0, BOTTOM = 40 + LEGEND;
  const HEAD = 18 * (data.lines + (t.diff ? 1 : 0)), TOP = 74 + HEAD;
  const width = Number(svg.getAttribute("width"));
  const minWidth = data.minWidth / 1000;
  const boxes = byId("boxes"), about = byId("about"), notes = byId("notes");
  const aboutText = about.textContent;
  const state = { icicle: !!data.icicle, inverted: false, zoom: 0,
    search: "" };
  let views = {}, view, matches = null;

  function make(name, attributes, text) {
    const e = document.createElementNS(NS, name);
    for (const key in attributes)
      e.setAttribute(key, attributes[key]);
    if (text !== undefined)
      e.textContent = text;
    return e;
  }

  function round(v) {
    return Math.floor(v * 100 + 0.5) / 100;
  }

  function currentView() {
    const key = state.inverted ? "inverted" : "plain";
    if (!views[key])
      views[key] = state.inverted ? invertedView(t, own) :
        plainView(t, own);
    return views[key];
  }

  function drawBox(i, x, w, depth) {
    const row = state.icicle ? view.depth[i] : depth - view.depth[i];
    const y = TOP + row * ROW;
    const g = make("g", {});
    const isMatch = matches && view.fn[i] >= 0 && matches[view.fn[i]];
    g.box = i;
    g.appendChild(make("title", {}, tipOf(t, view, i)));
    g.appendChild(make("rect", { x: round(x), y, width: round(w),
      height: ROW - 1, fill: isMatch ? "#e255c8" : colourOf(t, view, i) }));
    const room = Math.floor((w - 6) / LETTER);
    if (room >= 4)
      g.appendChild(make("text", { x: round(x + 3), y: y + 13 },
        fitText(labelOf(t, view.fn[i]), room)));
    if (isMatch)
      g.setAttribute("class", "match");
    else if (view.total[i] > view.total[state.zoom])
      g.setAttribute("class", "above");
    boxes.appendChild(g);
  }

  /* Boxes to draw: those under the zoomed one, and its callers. */
  function placeBoxes() {
    const zoom = state.zoom, placed = [];
    const unit = (width - 2 * SIDE) / view.total[zoom];
    let depth = view.depth[zoom], narrow = 0, narrowWeight = 0;
    for (let i = view.parent[zoom], at = zoom; at > 0;
      at = i, i = view.parent[i])
      placed.push([i, SIDE, width - 2 * SIDE]);
    for (let i = zoom; i < view.end[zoom];) {
      const w = view.total[i] * unit;
      if (w >= minWidth && w > 0) {
        placed.push([i, SIDE + (view.left[i] - view.left[zoom]) * unit, w]);
        depth = Math.max(depth, view.depth[i]);
        i++;
        continue;
      }
      for (const end = view.end[i], first = i; i < end; i++) {
        if (view.total[i] > 0)
          narrow++;
        if (i === first)
          narrowWeight += view.total[i];
      }
    }
    return { placed, depth, narrow, narrowWeight };
  }

  function draw() {
    view = currentView();
    boxes.textContent = "";
    if (!view.total[0])
      return;
    const d = placeBoxes();
    for (const [i, x, w] of d.placed)
      drawBox(i, x, w, d.depth);
    const bottom = TOP + (d.depth + 1) * ROW;
    svg.setAttribute("height", bottom + BOTTOM);
    svg.setAttribute("viewBox", "0 0 " + width + " " + (bottom + BOTTOM));
    notes.setAttribute("y", bottom + 24 + LEGEND);
    if (t.diff)
      byId("legend").setAttribute("transform", "translate(0," +
        (bottom + 12) + ")");
    tell(d);
    updateControls();
  }

  function tell(d) {
    let text = "";
    if (d.narrow)
      text = "... " + showCount(d.narrow) +
        (d.narrow === 1 ? " box is" : " boxes are") +
        " too narrow to be drawn: " +
        showShare(share(d.narrowWeight, view.total[0])) + ". ";
    const [gone, weight] = goneBoxes(view);
    if (gone)
      text += showShare(weight) + " of the baseline is in " +
        showCount(gone) + (gone === 1 ? " call path" : " call paths") +
        " that only it has.";
    notes.textContent = text;
  }

  /* --- controls ---------------------------------------------------------- */

  const controls = make("g", { id: "controls" });
  const buttons = {};

  function button(name, x, anchor, act) {
    const b = make("text", { x, y: 66 + HEAD, tabindex: 0, role: "button",
      "text-anchor": anchor });
    b.addEventListener("click", act);
    b.addEventListener("keydown", e => {
      if (e.key === "Enter" || e.key === " ") {
        e.preventDefault();
        act();
      }
    });
    b.id = name;
    buttons[name] = b;
    controls.appendChild(b);
  }

  function updateControls() {
    buttons.reset.textContent = "Reset";
    buttons.reset.setAttribute("visibility",
      state.zoom || state.search ? "visible" : "hidden");
    buttons.invert.textContent = state.inverted ? "Callers first" :
      "Invert";
    buttons.flip.textContent = state.icicle ? "Flame" : "Icicle";
    buttons.search.textContent = "Search";
    const matched = byId("matched");
    matched.textContent = matches ? "matched: " +
      showShare(share(matchedWeight(view, matches), view.total[0])) :
      state.search ? "not an expression" : "";
  }

  function zoomTo(i) {
    state.zoom = i;
    draw();
  }

  function reset() {
    state.zoom = 0;
    search("");
    closeInput();
  }

  function invert() {
    state.inverted = !state.inverted;
    state.zoom = 0;
    draw();
  }

  function flip() {
    state.icicle = !state.icicle;
    draw();
  }

  function search(text) {
    state.search = text;
    matches = matchFunctions(t, text);
    draw();
  }

  /* A field for the expression, only while it is being typed. */
  let field = null;

  function openInput() {
    if (field) {
      field.firstChild.select();
      return;
    }
    field = make("foreignObject", { x: width - 330, y: 50 + HEAD, width: 250,
      height: 24 });
    const input = document.createElementNS(XHTML, "input");
    input.setAttribute("placeholder", "regular expression");
    input.setAttribute("spellcheck", "false");
    input.value = state.search;
    input.addEventListener("input", () => search(input.value));
    input.addEventListener("keydown", e => {
      e.stopPropagation();
      if (e.key === "Escape")
        reset();
      if (e.key === "Enter")
        closeInput();
    });
    field.appendChild(input);
    svg.appendChild(field);
    input.focus();
  }

  function closeInput() {
    if (field)
      field.remove();
    field = null;
  }

  button("flip", SIDE, "start", flip);
  button("invert", SIDE + 55, "start", invert);
  button("reset", SIDE + 150, "start", reset);
  button("search", width - SIDE, "end", openInput);
  controls.appendChild(make("text", { id: "matched", x: width - SIDE, y: 46 + HEAD,
    "text-anchor": "end" }));
  svg.insertBefore(controls, boxes);

  function boxAt(e) {
    const g = e.target.closest ? e.target.closest("g") : null;
    return g && g.box !== undefined ? g.box : -1;
  }

  boxes.addEventListener("click", e => {
    const i = boxAt(e);
    if (i >= 0)
      zoomTo(i);
  });
  boxes.addEventListener("mouseover", e => {
    const i = boxAt(e);
    if (i >= 0)
      about.textContent = cutText(tipOf(t, view, i).replace(/\n/g, "  "),
        Math.floor(width / 8));
  });
  boxes.addEventListener("mouseout", () => {
    about.textContent = aboutText;
  });
  window.addEventListener("keydown", e => {
    if ((e.ctrlKey || e.metaKey) && e.key === "f" && !field) {
      e.preventDefault();
      openInput();
    } else if (e.key === "/" && !field) {
      e.preventDefault();
      openInput();
    } else if (e.key === "Escape") {
      reset();
    }
  });
  draw();
})();
