/*
 * The page: a canvas with the graph, tables of functions, callers and callees,
 * and the state of it all in the address, so that a view can be sent around.
 */
(function () {
  const ROW = 19, MIN_WIDTH = 0.3, MAX_ROWS = 400;
  const byId = id => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const t = readTrace(data);
  const canvas = byId("canvas"), graph = byId("graph"), tip = byId("tip");
  const pen = canvas.getContext("2d");

  /* All that can be in the address. */
  const initial = { view: "plain", orient: data.icicle ? "icicle" : "flame",
    zoom: 0, q: "", fn: -1, track: "", unit: t.period ? "time" : "samples",
    sort: t.diff ? "selfDelta" : "self", desc: 1, theme: "" };
  const state = Object.assign({}, initial);

  let own, plain, views, view, stats, matches = null, picked = 0;
  let drawn = { rows: [], depth: 0, narrow: 0 };

  function make(name, text, className) {
    const e = document.createElement(name);
    if (text !== undefined)
      e.textContent = text;
    if (className)
      e.className = className;
    return e;
  }

  /* --- numbers ----------------------------------------------------------- */

  function showWeight(weight, count) {
    return state.unit === "time" ? showTime(weight * t.period) :
      showCount(count);
  }

  /* Weights of each function: own, and with all that it calls, where each
   * sample counts once however deep a function calls itself. */
  function functionStats() {
    const n = t.name.length, zeros = () => new Float64Array(n);
    const s = { self: zeros(), selfCount: zeros(), total: zeros(),
      count: zeros(), selfBase: zeros(), base: zeros() };
    const until = new Int32Array(n);
    for (let i = 1; i < plain.n; i++) {
      const f = plain.fn[i];
      s.self[f] += own.weight[i];
      s.selfCount[f] += own.count[i];
      if (own.base)
        s.selfBase[f] += own.base[i];
      if (i < until[f])
        continue;
      until[f] = plain.end[i];
      s.total[f] += plain.total[i];
      s.count[f] += plain.count[i];
      if (plain.base)
        s.base[f] += plain.base[i];
    }
    return s;
  }

  /* Who calls fn and whom it calls: again each sample once per neighbour. */
  function neighbours(fn, pick) {
    const found = new Map();
    for (let i = 1; i < plain.n; i++) {
      const other = pick(i);
      if (other === undefined)
        continue;
      let g = found.get(other);
      if (!g)
        found.set(other, g = { fn: other, weight: 0, count: 0, base: 0,
          until: 0 });
      if (i < g.until)
        continue;
      g.until = plain.end[i];
      g.weight += plain.total[i];
      g.count += plain.count[i];
      if (plain.base)
        g.base += plain.base[i];
    }
    return [...found.values()].sort((a, b) => b.weight - a.weight ||
      b.base - a.base);
  }

  const callersOf = fn => neighbours(fn, i => plain.fn[i] === fn ?
    plain.fn[plain.parent[i]] : undefined);
  const calleesOf = fn => neighbours(fn, i => plain.parent[i] > 0 &&
    plain.fn[plain.parent[i]] === fn ? plain.fn[i] : undefined);

  /* --- processes and threads --------------------------------------------- */

  function trackLabel([pid, tid, interp, name]) {
    const words = [];
    if (name)
      words.push(name);
    if (tid !== null)
      words.push((name ? "" : "thread ") + tid);
    if (interp !== null && interp !== "0")
      words.push("interpreter " + interp);
    return words.join(" \u00b7 ") || (pid === null ? "unknown" : "all of it");
  }

  function trackWeight(i) {
    const step = t.mixed ? 3 : 2;
    let sum = 0;
    for (let k = step - 1; k < t.self[i].length; k += step)
      sum += t.self[i][k];
    return sum;
  }

  function fillTracks() {
    const select = byId("track"), weights = t.tracks.map((_, i) =>
      trackWeight(i));
    const all = weights.reduce((a, b) => a + b, 0);
    const processes = new Map();
    const option = (value, label, weight) => {
      const o = make("option", label + " \u2014 " +
        showShare(share(weight, all)));
      o.value = value;
      return o;
    };
    t.tracks.forEach((track, i) => {
      const key = track[0];
      if (!processes.has(key))
        processes.set(key, []);
      processes.get(key).push(i);
    });
    const everything = make("option", "All threads");
    everything.value = "";
    select.append(everything);
    for (const [pid, list] of processes) {
      let to = select;
      list.sort((a, b) => weights[b] - weights[a]);
      if (pid !== null) {
        const what = t.tracks[list[0]][4];
        to = make("optgroup");
        to.label = "Process " + pid + (what ? " \u00b7 " + what : "");
        to.append(option("p" + pid, "process " + pid,
          list.reduce((a, i) => a + weights[i], 0)));
        select.append(to);
      }
      if (pid === null || list.length > 1 || t.tracks[list[0]][1] !== null)
        for (const i of list)
          to.append(option("t" + i, trackLabel(t.tracks[i]), weights[i]));
    }
    select.hidden = t.tracks.length < 2 || !!t.base;
  }

  function keepsTrack() {
    const what = state.track;
    if (!what)
      return null;
    return what[0] === "p" ? i => t.tracks[i][0] === what.slice(1) :
      i => i === Number(what.slice(1));
  }

  /* --- views ------------------------------------------------------------- */

  function loadTrack() {
    own = ownWeights(t, keepsTrack());
    plain = plainView(t, own);
    views = { plain };
    stats = functionStats();
  }

  function loadView() {
    if (!views[state.view])
      views[state.view] = invertedView(t, own);
    view = views[state.view];
    if (!(state.zoom < view.n) || !view.total[state.zoom])
      state.zoom = 0;
    picked = state.zoom;
  }

  /* Which boxes are drawn and where, in pixels from the left. */
  function place() {
    const zoom = state.zoom, width = graph.clientWidth;
    const unit = view.total[zoom] ? width / view.total[zoom] : 0;
    drawn = { rows: [], depth: view.depth[zoom], narrow: 0, zoom };
    const put = (i, x, w) => {
      const d = view.depth[i];
      (drawn.rows[d] = drawn.rows[d] || []).push({ i, x, w });
      drawn.depth = Math.max(drawn.depth, d);
    };
    if (!unit)
      return;
    for (let i = zoom; i > 0;) {
      i = view.parent[i];
      put(i, 0, width);
    }
    for (let i = zoom; i < view.end[zoom];) {
      const w = view.total[i] * unit;
      if (w < MIN_WIDTH) {
        drawn.narrow += w > 0 ? 1 : 0;
        i = view.end[i];
        continue;
      }
      put(i, (view.left[i] - view.left[zoom]) * unit, w);
      i++;
    }
  }

  function contentHeight() {
    return (drawn.depth + 1) * ROW;
  }

  /* Where the row of a depth is drawn, from the top of the canvas. */
  function rowTop(depth) {
    const height = Math.max(contentHeight(), graph.clientHeight);
    const y = state.orient === "icicle" ? depth * ROW :
      height - (depth + 1) * ROW;
    return y - graph.scrollTop;
  }

  function layout(keepScroll) {
    const height = graph.clientHeight, ratio = window.devicePixelRatio || 1;
    place();
    canvas.width = Math.round(graph.clientWidth * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = height + "px";
    byId("spacer").style.height =
      Math.max(0, contentHeight() - height) + "px";
    if (!keepScroll)
      graph.scrollTop = state.orient === "icicle" ? 0 : graph.scrollHeight;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint();
  }

  let hovered = -1, letter = 0;

  function paintBox(b, y, colours) {
    const fn = view.fn[b.i];
    const isMatch = matches && fn >= 0 && matches[fn];
    const gap = b.w > 2 ? 0.5 : 0;
    pen.globalAlpha = view.depth[b.i] < view.depth[drawn.zoom] ? 0.5 :
      matches && !isMatch ? 0.4 : 1;
    pen.fillStyle = isMatch ? "#e86bd0" : colourOf(t, view, b.i);
    pen.fillRect(b.x, y, b.w - gap, ROW - 1);
    pen.globalAlpha = 1;
    if (b.i === hovered || b.i === picked || (fn >= 0 && fn === state.fn)) {
      pen.strokeStyle = colours.ink;
      pen.lineWidth = b.i === picked ? 2 : 1;
      if (b.w > 2 && (b.i > 0 || b.i === hovered))
        pen.strokeRect(b.x + 1, y + 1, b.w - 2.5, ROW - 3);
    }
    const room = Math.floor((b.w - 7) / letter);
    if (room >= 4) {
      pen.fillStyle = "#1d1d1f";
      if (matches && !isMatch)
        pen.fillStyle = colours.dim;
      pen.fillText(fitText(labelOf(t, fn), room), b.x + 4, y + 13);
    }
  }

  function paint() {
    const height = graph.clientHeight, style = getComputedStyle(
      document.documentElement);
    const colours = { ink: style.getPropertyValue("--ink"),
      dim: style.getPropertyValue("--dim") };
    pen.clearRect(0, 0, graph.clientWidth, height);
    pen.font = "12px " + style.getPropertyValue("--mono");
    pen.direction = "ltr";
    letter = pen.measureText("MMMMMMMMMM").width / 10;
    drawn.rows.forEach((row, depth) => {
      const y = rowTop(depth);
      if (y > -ROW && y < height)
        for (const b of row)
          paintBox(b, y, colours);
    });
    if (!view.total[0]) {
      pen.fillStyle = colours.dim;
      pen.fillText("No samples.", 10, 24);
    }
  }

  function boxAt(x, y) {
    const first = rowTop(0);
    const depth = state.orient === "icicle" ? Math.floor((y - first) / ROW) :
      Math.ceil((first - y) / ROW);
    const row = drawn.rows[depth] || [];
    let low = 0, high = row.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (row[middle].x + row[middle].w <= x)
        low = middle + 1;
      else
        high = middle;
    }
    return low < row.length && row[low].x <= x ? row[low].i : -1;
  }

  /* --- what is said around the graph -------------------------------------- */

  function fullTip(i) {
    let text = tipOf(t, view, i);
    if (view.self[i])
      text += "\nself: " + showSum(t, view.selfCount[i], view.self[i],
        view.total[0]);
    if (state.zoom)
      text += "\n" + showShare(share(view.total[i],
        view.total[state.zoom])) + " of what is shown";
    return text;
  }

  function showCrumbs() {
    const path = [], to = byId("crumbs");
    for (let i = state.zoom; ; i = view.parent[i]) {
      path.push(i);
      if (!i)
        break;
    }
    to.textContent = "";
    path.reverse();
    const shown = path.length > 9 ? [path[0], -1].concat(path.slice(-7)) :
      path;
    shown.forEach((i, k) => {
      if (k)
        to.append(make("span", "\u203a"));
      if (i < 0) {
        to.append(make("span", "\u2026"));
        return;
      }
      const b = make("button", labelOf(t, view.fn[i]).slice(0, 300));
      b.addEventListener("click", () => change({ zoom: i }, true));
      to.append(b);
    });
  }

  function showStatus(i) {
    const what = i >= 0 ? i : picked;
    let text = tipOf(t, view, what).replace(/\n/g, " \u2014 ");
    if (i < 0 && drawn.narrow)
      text += " \u2014 " + showCount(drawn.narrow) + " narrow branches " +
        "are not drawn until zoomed into";
    byId("status").textContent = text.slice(0, 600);
  }

  /* Numbers of metadata with three digits; other texts as they are. */
  function showNumber(text) {
    const v = Number(text);
    return text.trim() === "" || !isFinite(v) ? text :
      v >= 100 ? showCount(Math.round(v)) : String(Number(v.toPrecision(3)));
  }

  function showComparison() {
    const words = t.diff.sides.map(([name, samples, us], k) =>
      (k ? "after " : "before ") + (name ? name + ": " : "") +
      showCount(samples) + " samples, " + showTime(us));
    const [gone, weight] = goneBoxes(plain);
    words.push("shares of " + t.diff.unit + " are compared");
    if (gone)
      words.push(showTenths(weight) + " % of the baseline is in call paths " +
        "that only it has");
    byId("facts").textContent = words.join(" \u00b7 ");
    byId("facts").title = words.join("\n");
    byId("verdict").textContent = t.diff.verdict;
  }

  /* What the colours mean, in points. */
  function showLegend() {
    const to = byId("legend"), max = t.diff.max / 1e6, STEPS = 4;
    to.replaceChildren();
    if (max > 0) {
      to.append(make("span", showSigned(-max)));
      for (let k = -STEPS; k <= STEPS; k++) {
        const i = make("i");
        i.style.background = deltaColour(max * k / STEPS, max);
        to.append(i);
      }
      to.append(make("span", showSigned(max) + " points \u00b7 grey: not " +
        "beyond noise" + (view.inverted ? "; callers are not tested" : "")));
    } else {
      to.append(make("span", "grey: no change beyond noise"));
    }
  }

  function showFacts() {
    const all = plain.total[0], words = [];
    if (t.diff) {
      showComparison();
      showLegend();
      return;
    }
    const meta = new Map(t.meta);
    words.push(showCount(plain.count[0]) + " samples");
    if (t.period)
      words.push(showTime(all * t.period));
    const [low, high, unknown] = data.periods;
    const period = us => showTime(us).replace(".00", "");
    if (t.period && !t.mixed)
      words.push("every " + period(low) + " (" +
        showCount(Math.round(1e6 / low)) + "/s)");
    else if (t.mixed)
      words.push("every " + period(low) + " to " + period(high));
    if (unknown && t.mixed)
      words.push("unknown periods taken for 10 ms");
    const fact = (key, before, after) => {
      if (meta.has(key))
        words.push(before + showNumber(meta.get(key)) + after);
    };
    fact("profiler.mode", "", " mode");
    fact("profiler.duration_s", "took ", " s");
    fact("profiler.samples_per_s", "", " samples/s");
    fact("profiler.failed_percent", "failed ", "%");
    fact("profiler.missed_percent", "missed ", "%");
    fact("python.version", "Python ", "");
    if (data.gaps)
      words.push(showCount(data.gaps) + " gaps, " + showCount(data.lost) +
        " samples known lost");
    byId("facts").textContent = words.join(" \u00b7 ");
    byId("facts").title = words.join("\n");
  }

  function showAbout() {
    const rows = [["Samples", showCount(data.samples)],
      ["Boxes", showCount(t.n - 1)],
      ["Functions", showCount(t.name.length)],
      ["Processes and threads", showCount(t.tracks.length)]].concat(t.meta);
    if (plain.base) {
      const [gone, weight] = goneBoxes(plain);
      rows.push(["Call paths that only the baseline has", showCount(gone) +
        ", " + showShare(weight) + " of it"]);
    }
    const table = make("table");
    for (const [key, value] of rows) {
      const tr = make("tr");
      tr.append(make("td", key), make("td", value));
      table.append(tr);
    }
    byId("about-text").replaceChildren(table);
    byId("about").showModal();
  }

  /* --- tables ------------------------------------------------------------ */

  const COLUMNS = t.diff ? [
    ["name", "Function"], ["selfDelta", "\u0394 self"],
    ["selfBefore", "before"], ["self", "after"],
    ["totalDelta", "\u0394 total"], ["totalBefore", "before"],
    ["total", "after"],
  ] : [
    ["name", "Function"], ["selfShare", "Self %"], ["self", "Self"],
    ["totalShare", "Total %"], ["total", "Total"],
  ];

  function headOf(table, columns, act) {
    const tr = make("tr");
    for (const [key, label] of columns) {
      const th = make("th");
      if (act) {
        const arrow = state.sort === key ? state.desc ? " \u25be" :
          " \u25b4" : "";
        const b = make("button", label + arrow);
        b.addEventListener("click", () => act(key));
        th.append(b);
      } else {
        th.textContent = label;
      }
      tr.append(th);
    }
    table.tHead.replaceChildren(tr);
  }

  function nameCell(fn) {
    const td = make("td", labelOf(t, fn).slice(0, 2000));
    if (fn >= 0 && t.file[fn]) {
      td.append(make("i", "  " + t.file[fn].slice(-200)));
      td.title = labelOf(t, fn).slice(0, 2000) + "\n" + t.file[fn];
    }
    return td;
  }

  function shareCell(s) {
    const td = make("td", showShare(s), "share");
    td.style.backgroundSize = (100 * s).toFixed(1) + "% 100%";
    return td;
  }

  /* c: what was found; null: not tested. */
  function deltaCell(before, after, c) {
    const d = after - before;
    const td = make("td", showSigned(d), !c || !c.sure ? "noise" : d > 0 ?
      "grew" : "shrank");
    td.title = showChange(before, after, c);
    return td;
  }

  function comparedCells(fn) {
    const s = stats, all = plain.total[0], was = plain.base[0];
    const cells = (before, after, c) => [deltaCell(before, after, c),
      make("td", showTenths(before) + " %"),
      make("td", showTenths(after) + " %")];
    return cells(share(s.selfBase[fn], was), share(s.self[fn], all),
      changeAt(t.diff.self, fn)).concat(cells(share(s.base[fn], was),
      share(s.total[fn], all), changeAt(t.diff.total, fn)));
  }

  function functionRow(fn) {
    const all = plain.total[0], s = stats, tr = make("tr");
    if (t.diff)
      tr.append(nameCell(fn), ...comparedCells(fn));
    else
      tr.append(nameCell(fn), shareCell(share(s.self[fn], all)),
        make("td", showWeight(s.self[fn], s.selfCount[fn])),
        shareCell(share(s.total[fn], all)),
        make("td", showWeight(s.total[fn], s.count[fn])));
    tr.className = (fn === state.fn ? "on " : "") +
      (matches && matches[fn] ? "match" : "");
    tr.addEventListener("click", () => change({ fn }));
    return tr;
  }

  const selfDelta = fn => share(stats.self[fn], plain.total[0]) -
    share(stats.selfBase[fn], plain.base[0]);
  const totalDelta = fn => share(stats.total[fn], plain.total[0]) -
    share(stats.base[fn], plain.base[0]);

  const KEYS = {
    self: fn => stats.self[fn], selfShare: fn => stats.self[fn],
    total: fn => stats.total[fn], totalShare: fn => stats.total[fn],
    selfBefore: fn => stats.selfBase[fn], totalBefore: fn => stats.base[fn],
    /* Significant changes first; by size. */
    selfDelta: fn => changeAt(t.diff.self, fn).sure + Math.abs(selfDelta(fn)),
    totalDelta: fn => changeAt(t.diff.total, fn).sure +
      Math.abs(totalDelta(fn)),
  };

  function sortedFunctions() {
    const wanted = matchFunctions(t, byId("filter").value);
    const list = [], sign = state.desc ? -1 : 1;
    for (let fn = 0; fn < t.name.length; fn++)
      if ((!wanted || wanted[fn]) && (stats.total[fn] > 0 ||
        stats.base[fn] > 0))
        list.push(fn);
    const key = KEYS[state.sort];
    const byName = (a, b) => t.name[a] < t.name[b] ? -1 :
      t.name[a] > t.name[b] ? 1 : a - b;
    return list.sort(key ? (a, b) => sign * (key(a) - key(b)) ||
      byName(a, b) : (a, b) => -sign * byName(a, b));
  }

  function showFunctions() {
    const table = byId("functions").querySelector("table");
    const list = sortedFunctions();
    headOf(table, COLUMNS, sort => change(sort === state.sort ?
      { desc: state.desc ? 0 : 1 } : { sort, desc: 1 }));
    table.tBodies[0].replaceChildren(...list.slice(0, MAX_ROWS).map(
      functionRow));
    byId("shown").textContent = list.length > MAX_ROWS ? "first " +
      MAX_ROWS + " of " + showCount(list.length) + "; use the filter" :
      showCount(list.length);
  }

  function neighbourRow(g, all) {
    const tr = make("tr");
    tr.append(nameCell(g.fn), shareCell(share(g.weight, all)),
      make("td", showWeight(g.weight, g.count)));
    if (t.base)
      tr.append(deltaCell(share(g.base, plain.base[0]),
        share(g.weight, plain.total[0]), null));
    if (g.fn >= 0)
      tr.addEventListener("click", () => change({ fn: g.fn }));
    return tr;
  }

  function showNeighbours(id, label, list, all) {
    const table = byId(id), more = t.base ? [["d", "\u0394"]] : [];
    headOf(table, [["name", label], ["share", "of it"],
      ["weight", state.unit === "time" ? "Time" : "Samples"]].concat(more));
    table.tBodies[0].replaceChildren(...list.slice(0, MAX_ROWS).map(g =>
      neighbourRow(g, all)));
  }

  function showSandwich() {
    const fn = state.fn, is = fn >= 0 && fn < t.name.length;
    byId("chosen").textContent = is ? labelOf(t, fn).slice(0, 300) :
      "click a box or a function";
    showNeighbours("callers", "Called by", is ? callersOf(fn) : [],
      is ? stats.total[fn] : 0);
    showNeighbours("callees", "Calls", is ? calleesOf(fn) : [],
      is ? stats.total[fn] : 0);
  }

  /* --- state ------------------------------------------------------------- */

  function addressOf() {
    const p = new URLSearchParams();
    for (const key in initial)
      if (state[key] !== initial[key])
        p.set(key, state[key]);
    return "#" + p;
  }

  function readAddress() {
    const p = new URLSearchParams(location.hash.slice(1));
    for (const key in initial) {
      const v = p.get(key);
      state[key] = v === null ? initial[key] :
        typeof initial[key] === "number" ? Number(v) | 0 : v;
    }
    if (!["plain", "inverted"].includes(state.view))
      state.view = "plain";
    if (state.fn >= t.name.length)
      state.fn = -1;
    if (state.unit === "time" && !t.period)
      state.unit = "samples";
  }

  function markOn(ids, value) {
    for (const id of ids)
      byId(id).classList.toggle("on", id === value);
  }

  function showAll(keepScroll) {
    document.documentElement.className = state.theme;
    markOn(["plain", "inverted"], state.view);
    markOn(["flame", "icicle"], state.orient);
    markOn(["time", "samples"], state.unit);
    byId("track").value = state.track;
    if (byId("search").value !== state.q)
      byId("search").value = state.q;
    matches = matchFunctions(t, state.q);
    byId("search").classList.toggle("bad", !!state.q && !matches);
    byId("matched").textContent = matches ? "matched " + showShare(share(
      matchedWeight(view, matches), view.total[0])) : state.q ?
      "not an expression" : "";
    layout(keepScroll);
    showCrumbs();
    showStatus(-1);
    showFacts();
    showFunctions();
    showSandwich();
  }

  /* Sets some of the state; isStep: the browser's Back undoes it. */
  function change(some, isStep) {
    const before = Object.assign({}, state);
    Object.assign(state, some);
    if (state.track !== before.track) {
      state.zoom = 0;
      loadTrack();
    }
    if (state.view !== before.view)
      state.zoom = 0;
    loadView();
    try {
      history[isStep ? "pushState" : "replaceState"](null, "", addressOf());
    } catch (e) {
      /* An address that cannot be changed keeps no state. */
    }
    showAll(state.zoom === before.zoom && state.view === before.view &&
      state.orient === before.orient && state.track === before.track);
  }

  function zoomTo(i) {
    if (view.total[i] > 0)
      change({ zoom: i, fn: view.fn[i] }, true);
  }

  /* --- events ------------------------------------------------------------ */

  function on(id, event, act) {
    byId(id).addEventListener(event, act);
  }

  for (const id of ["plain", "inverted"])
    on(id, "click", () => change({ view: id }));
  for (const id of ["flame", "icicle"])
    on(id, "click", () => change({ orient: id }));
  for (const id of ["time", "samples"])
    on(id, "click", () => change({ unit: id }));
  on("track", "change", e => change({ track: e.target.value }));
  on("search", "input", e => change({ q: e.target.value }));
  on("filter", "input", showFunctions);
  on("reset", "click", () => change({ zoom: 0, q: "" }));
  on("about-button", "click", showAbout);
  on("theme", "click", () => {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const now = state.theme || (dark ? "dark" : "light");
    change({ theme: now === "dark" ? "light" : "dark" });
  });

  function hover(i, e) {
    if (i !== hovered) {
      hovered = i;
      paint();
      showStatus(i);
      if (i >= 0)
        tip.textContent = fullTip(i).slice(0, 3000);
    }
    tip.style.visibility = i >= 0 ? "visible" : "hidden";
    if (i < 0)
      return;
    const x = Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 6);
    const below = e.clientY + 18 + tip.offsetHeight < innerHeight;
    const y = below ? e.clientY + 18 : e.clientY - tip.offsetHeight - 10;
    tip.style.transform = "translate(" + Math.max(4, x) + "px," +
      Math.max(4, y) + "px)";
  }

  function boxOfEvent(e) {
    const r = canvas.getBoundingClientRect();
    return boxAt(e.clientX - r.left, e.clientY - r.top);
  }

  canvas.addEventListener("mousemove", e => hover(boxOfEvent(e), e));
  canvas.addEventListener("mouseleave", e => hover(-1, e));
  canvas.addEventListener("click", e => {
    const i = boxOfEvent(e);
    if (i >= 0)
      zoomTo(i);
  });
  graph.addEventListener("scroll", paint);
  window.addEventListener("resize", () => layout(true));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change",
    paint);
  window.addEventListener("popstate", () => {
    readAddress();
    loadTrack();
    loadView();
    showAll();
  });

  /* Neighbours of a box, for the arrow keys. */
  function firstChild(i) {
    return i + 1 < view.end[i] && view.total[i + 1] ? i + 1 : i;
  }

  function sibling(i, step) {
    const p = view.parent[i], row = [];
    for (let c = p + 1; i && c < view.end[p]; c = view.end[c])
      if (view.total[c])
        row.push(c);
    return row[row.indexOf(i) + step] || i;
  }

  function walk(key) {
    const inward = state.orient === "icicle" ? "ArrowDown" : "ArrowUp";
    if (key === "ArrowLeft" || key === "ArrowRight")
      picked = sibling(picked, key === "ArrowLeft" ? -1 : 1);
    else
      picked = key === inward ? firstChild(picked) : view.parent[picked];
    const y = rowTop(view.depth[picked]);
    if (y < 0)
      graph.scrollTop += y;
    else if (y + ROW > graph.clientHeight)
      graph.scrollTop += y + ROW - graph.clientHeight;
    paint();
    showStatus(picked);
  }

  window.addEventListener("keydown", e => {
    const typing = /^(INPUT|SELECT)$/.test(e.target.tagName);
    if (byId("about").open)
      return;
    if (e.key === "Escape") {
      if (state.q || byId("filter").value) {
        byId("filter").value = "";
        change({ q: "" });
      } else {
        change({ zoom: 0 });
      }
      e.target.blur();
    } else if (typing || e.altKey) {
      return;
    } else if (e.key === "/" || (e.key === "f" && (e.ctrlKey ||
      e.metaKey))) {
      byId("search").select();
    } else if (e.ctrlKey || e.metaKey) {
      return;
    } else if (/^Arrow/.test(e.key)) {
      walk(e.key);
    } else if (e.key === "Enter" && e.target.tagName !== "BUTTON") {
      zoomTo(picked);
    } else if (e.key === "i") {
      change({ view: state.view === "plain" ? "inverted" : "plain" });
    } else if (e.key === "f") {
      change({ orient: state.orient === "flame" ? "icicle" : "flame" });
    } else {
      return;
    }
    e.preventDefault();
  });

  on("divider", "pointerdown", e => {
    const box = byId("tables"), from = e.clientY, height = box.offsetHeight;
    const move = m => {
      box.style.height = Math.max(60, height + from - m.clientY) + "px";
      layout(true);
    };
    byId("divider").setPointerCapture(e.pointerId);
    byId("divider").addEventListener("pointermove", move);
    byId("divider").addEventListener("pointerup", () =>
      byId("divider").removeEventListener("pointermove", move),
      { once: true });
    e.preventDefault();
  });

  byId("units").hidden = !t.period;
  fillTracks();
  readAddress();
  loadTrack();
  loadView();
  showAll();
})();
