/*
 * The data as views that can be drawn, and numbers and colours as people see
 * them (show.c has the same).
 *
 * A view is a tree in arrays. Its boxes are in the order of drawing: callers
 * before what they call, so that a box's descendants are those from i + 1 up
 * to end[i]. Box 0 is everything. Nothing here recurses: stacks may be deep.
 */
"use strict";

/* The JSON as arrays: up[], fn[] and own weights per box. */
function readTrace(d) {
  const n = d.up.length + 1;
  const t = {
    n, parent: new Int32Array(n), fn: new Int32Array(n).fill(-1),
    name: d.name, file: d.file.map(i => d.files[i]), colour: d.colour,
    line: d.line, palette: d.palette,
    period: d.period, mixed: d.mixed, byTime: d.byTime, facts: d, base: null,
    diff: d.diff || null,
  };
  for (let i = 1; i < n; i++) {
    t.parent[i] = i - d.up[i - 1];
    t.fn[i] = d.fn[i - 1];
  }
  t.self = d.self;
  if (d.base) {
    t.base = new Float64Array(n);
    addWeights(t, d.base, t.base, t.base);
  }
  return t;
}

/* Adds one list of weights: to weight what is drawn, samples or their time; to
 * count the other of both, where it is given beside it. */
function addWeights(t, list, count, weight) {
  const step = t.mixed ? 3 : 2, drawn = t.mixed && t.byTime ? 2 : 1;
  for (let at = 0, box = 0; at < list.length; at += step) {
    box += list[at];
    if (count !== weight)
      count[box] += list[at + 3 - drawn];
    weight[box] += list[at + drawn];
  }
}

/* Own weights of the boxes. */
function ownWeights(t) {
  const weight = new Float64Array(t.n);
  const count = t.mixed ? new Float64Array(t.n) : weight;
  addWeights(t, t.self, count, weight);
  return { weight, count, base: t.base };
}

/* Totals, ends and places of a view whose parent[], fn[], self[], count[] and
 * base[] (or null) are known; count and base are own ones until then. */
function finishView(v) {
  const n = v.n;
  const total = Float64Array.from(v.self);
  v.total = total;
  v.selfCount = v.count;
  v.count = v.count === v.self ? total : Float64Array.from(v.count);
  v.selfBase = v.base;
  v.base = v.base && Float64Array.from(v.base);
  v.depth = new Int32Array(n);
  v.end = new Int32Array(n);
  v.left = new Float64Array(n);
  v.maxDepth = 0;
  for (let i = n - 1; i > 0; i--) {
    const p = v.parent[i];
    total[p] += total[i];
    if (v.count !== total)
      v.count[p] += v.count[i];
    if (v.base)
      v.base[p] += v.base[i];
    if (!v.end[i])
      v.end[i] = i + 1;
    if (!v.end[p])
      v.end[p] = v.end[i];
  }
  v.end[0] = n;
  const next = new Float64Array(n);
  for (let i = 1; i < n; i++) {
    const p = v.parent[i];
    v.depth[i] = v.depth[p] + 1;
    v.left[i] = next[i] = next[p];
    next[p] += total[i];
    if (total[i] > 0) {
      v.maxDepth = Math.max(v.maxDepth, v.depth[i]);
    }
  }
  return v;
}

function share(part, whole) {
  return whole ? part / whole : 0;
}

/* How the share of a box differs from that in the baseline. */
function delta(v, i) {
  return share(v.total[i], v.total[0]) - share(v.base[i], v.base[0]);
}

/* --- what a comparison found: nothing is computed here -------------------- */

/* One of a list of changes. */
function changeAt(list, i) {
  return { low: list[4 * i] / 1e6, high: list[4 * i + 1] / 1e6,
    q: list[4 * i + 2] / 1e4, sure: list[4 * i + 3] === 1 };
}

/* What was found about a box; null: it was not tested. Inverted, only functions
 * by self are tested, which come first; their callers are not. */
function changeOf(t, v, i) {
  if (!t.diff || i === 0)
    return null;
  if (!v.inverted)
    return changeAt(t.diff.boxes, i);
  return v.depth[i] === 1 ? changeAt(t.diff.self, v.fn[i]) : null;
}

function showQ(q) {
  return q < 0.001 ? "q <0.001" : "q " + q.toFixed(3);
}

/* "before 10.0 %, after 14.2 %: +4.2 points [+3.1, +5.3], q <0.001". */
function showChange(before, after, c) {
  return "before " + showTenths(before) + " %, after " + showTenths(after) +
    " %: " + showSigned(after - before) + " points" + (c ? " [" +
    showSigned(c.low) + ", " + showSigned(c.high) + "], " + showQ(c.q) +
    (c.sure ? "" : ": not beyond noise") : "; not tested");
}

/* Callers first, as it was sampled. */
function plainView(t, own) {
  return finishView({ n: t.n, parent: t.parent, fn: t.fn,
    self: own.weight, count: own.count, base: own.base });
}

/* Sorts groups so that the largest is last, where it is taken from first. */
function pushGroups(t, todo, groups) {
  const list = [...groups.values()].sort((a, b) => a.weight - b.weight ||
    a.base - b.base || (t.name[a.fn] < t.name[b.fn] ? 1 : -1));
  for (const g of list)
    todo.push(g);
}

/* Takes groups, each of which becomes a box, until expand() adds no more. */
function groupView(t, own, todo, expand) {
  const parent = [0], fn = [-1], self = [0], count = [0], base = [0];
  while (todo.length) {
    const g = todo.pop();
    const at = parent.length;
    parent.push(g.parent);
    fn.push(g.fn);
    self.push(g.self);
    count.push(g.count);
    base.push(g.selfBase);
    expand(at, g.items);
  }
  const v = { n: parent.length, parent: Int32Array.from(parent),
    fn: Int32Array.from(fn), self: Float64Array.from(self), base: null };
  v.count = own.count === own.weight ? v.self : Float64Array.from(count);
  if (own.base)
    v.base = Float64Array.from(base);
  return v;
}

function groupOf(groups, parent, fn) {
  let g = groups.get(fn);
  if (!g)
    groups.set(fn, g = { parent, fn, items: [], weight: 0, base: 0, self: 0,
      count: 0, selfBase: 0 });
  return g;
}

function endIn(g, own, box) {
  g.self += own.weight[box];
  g.count += own.count[box];
  if (own.base)
    g.selfBase += own.base[box];
}

/* What was running first, then its callers. `items` are pairs: a box, and the
 * box whose own weight is followed. */
function followCallers(t, own, items) {
  const todo = [];
  const expand = (at, list) => {
    const groups = new Map();
    for (let k = 0; k < list.length; k += 2) {
      const box = list[k], origin = list[k + 1];
      const g = groupOf(groups, at, t.fn[box]);
      g.weight += own.weight[origin];
      if (own.base)
        g.base += own.base[origin];
      if (t.parent[box])
        g.items.push(t.parent[box], origin);
      else
        endIn(g, own, origin);
    }
    pushGroups(t, todo, groups);
  };
  expand(0, items);
  return groupView(t, own, todo, expand);
}

function invertedView(t, own) {
  const items = [];
  for (let i = 1; i < t.n; i++)
    if (own.weight[i] || (own.base && own.base[i]))
      items.push(i, i);
  const v = followCallers(t, own, items);
  v.self[0] = own.weight[0];
  if (v.count !== v.self)
    v.count[0] = own.count[0];
  if (v.base)
    v.base[0] = own.base[0];
  v.inverted = true;
  return finishView(v);
}

/* What only the baseline has: [boxes, share of it]. */
function goneBoxes(v) {
  let n = 0, weight = 0;
  for (let i = 1; v.base && i < v.n; i++) {
    if (v.total[i] === 0) {
      n++;
      weight += v.selfBase[i];
    }
  }
  return [n, v.base ? share(weight, v.base[0]) : 0];
}

/* --- search ------------------------------------------------------------- */

/* For each function whether it matches; null for no or a bad expression. */
function matchFunctions(t, text) {
  if (!text)
    return null;
  let re;
  try {
    re = new RegExp(text, text === text.toLowerCase() ? "iu" : "u");
  } catch (e) {
    try {
      re = new RegExp(text, "i");
    } catch (e2) {
      return null;
    }
  }
  return t.name.map((name, i) => re.test(name) || re.test(t.file[i]));
}

/* The weight of all boxes that match, each sample once. */
function matchedWeight(v, matches) {
  let sum = 0;
  for (let i = 1; i < v.n;) {
    if (matches[v.fn[i]]) {
      sum += v.total[i];
      i = v.end[i];
    } else {
      i++;
    }
  }
  return sum;
}

/* --- for people ---------------------------------------------------------- */

function showCount(v) {
  return String(v).replace(/\B(?=(\d{3})+$)/g, ",");
}

function showTime(us) {
  const cut = (unit, name) =>
    (Math.floor(us / (unit / 100) + 0.5) / 100).toFixed(2) + " " + name;
  if (us < 1e3)
    return us + " \u00b5s";
  if (us < 1e6)
    return cut(1e3, "ms");
  if (us < 600e6)
    return cut(1e6, "s");
  return us < 36000e6 ? cut(60e6, "min") : cut(3600e6, "h");
}

function showShare(s) {
  return (Math.floor(s * 10000 + 0.5) / 100).toFixed(2) + "%";
}

/* Percents and points of a comparison, as printf writes them. */
function showTenths(s) {
  return (100 * s).toFixed(1);
}

function showSigned(d) {
  return (d < 0 || Object.is(d, -0) ? "" : "+") + (100 * d).toFixed(1);
}

function showSum(t, count, weight, all) {
  const [samples, time] = t.byTime || !t.mixed ?
    [count, weight * t.period] : [weight, count];
  return showCount(samples) + (samples === 1 ? " sample, " : " samples, ") +
    (t.period ? showTime(time) + ", " : "") + showShare(share(weight, all));
}

/* A function as it is called in boxes and tables. */
function labelOf(t, fn) {
  if (fn < 0)
    return "all";
  return t.line && t.line[fn] > 0 ? t.name[fn] + ":" + t.line[fn] :
    t.name[fn];
}

function tipOf(t, v, i) {
  const file = v.fn[i] < 0 ? "" : t.file[v.fn[i]];
  const text = labelOf(t, v.fn[i]) + (file ? " (" + file + ")" : "") + "\n";
  if (!t.diff)
    return text + showSum(t, v.count[i], v.total[i], v.total[0]);
  if (i === 0)
    return text + t.diff.sides.map(s => showCount(s[1])).join(
      " samples before, ") + " after";
  return text + showChange(share(v.base[i], v.base[0]),
    share(v.total[i], v.total[0]), changeOf(t, v, i)) +
    (t.mixed ? "" : "\n" + showCount(v.base[i]) + " samples before, " +
    showCount(v.count[i]) + " after");
}

const GREY = [0xe4, 0xe2, 0xdd], RED = [0xef, 0x53, 0x50],
  BLUE = [0x42, 0x9b, 0xf5];

/* Sixteen steps from grey to red or blue, as show.c has them. */
function deltaColour(d, max) {
  const to = d < 0 ? BLUE : RED;
  const ratio = max > 0 ? Math.abs(d) / max : 0;
  let step = 0;
  while (step < 16 && (step + 1) * (step + 1) <= ratio * 256)
    step++;
  return "#" + GREY.map((g, k) => Math.floor(
    (g * (16 - step) + to[k] * step) / 16).toString(16).padStart(2, "0"))
    .join("");
}

function colourOf(t, v, i) {
  if (v.fn[i] < 0)
    return "#d9d5ce";
  if (!t.diff)
    return t.palette[t.colour[v.fn[i]]];
  const c = changeOf(t, v, i);
  return deltaColour(c && c.sure ? delta(v, i) : 0, t.diff.max / 1e6);
}

/* The longest beginning of a text that fits into so many columns; characters
 * of East Asia take two. */
function cutText(text, room) {
  let used = 0, at = 0, last = 0;
  for (const c of text) {
    used += c.codePointAt(0) >= 0x3000 ? 2 : 1;
    at += c.length;
    if (used + 2 <= room)
      last = at;
    if (used > room)
      return text.slice(0, last) + "..";
  }
  return text;
}

/* The same; where not all fits, what is behind the namespace tells more. */
function fitText(text, room) {
  const shown = cutText(text, room);
  return shown === text ? text :
    cutText(text.slice(text.lastIndexOf("\\") + 1) || text, room);
}
