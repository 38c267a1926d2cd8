// Draws a recording: tracks from top to bottom, time from left to right.
//
// Only what is in view is drawn, and slices that share a pixel column are drawn once, so the time
// for a frame depends on the picture's width more than on the number of slices.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const axis = document.getElementById("axis");
const view = document.getElementById("view");
const scroll = document.getElementById("scroll");
const about = document.getElementById("about");
const search = document.getElementById("search");
const hitsText = document.getElementById("hits");

const ROW = 22; // The height of a track, and of a slice's text in it.
const GAP = 10; // Above a group.
const SPAN_MIN = 20; // Cycles: no closer view.
const ARROWS_MAX = 60; // Of more arrows in view, only those are drawn that show a distance.
const ARROW_WIDE = 10; // So many pixels are one.
const THIN = 3; // Slices that are no wider have a darker colour, to be seen.

// Slices by track, each list in the order of time. Starts come as differences.
const tracks = data.tracks.map(([group, name]) => ({ group, name, slices: [], marks: [] }));
{
  const { track, name, start, length, own } = data.slices;
  let time = 0;
  for (let index = 0; index < track.length; index++) {
    time += start[index];
    tracks[track[index]].slices.push({
      track: track[index], name: data.names[name[index]], start: time,
      end: time + length[index], own: own[index],
    });
  }
  for (const [track, cycle, text] of data.marks) {
    tracks[track].marks.push({ track, name: text, start: cycle, end: cycle, isMark: true });
  }
}
// The width of the tracks' names: of the longest one, within limits.
const LABEL = (() => {
  const pen = view.getContext("2d");
  pen.font = "12px system-ui, sans-serif";
  const names = [...data.tracks.map(([, name]) => name), ...data.counters];
  const widths = names.map((name) => pen.measureText(name).width);
  return Math.round(Math.min(Math.max(110, ...widths), 260, innerWidth / 3)) + 96;
})();

const counters = data.counters.map((name) => ({ name, samples: [], most: 1 }));
for (const [counter, cycle, value] of data.samples) {
  counters[counter].samples.push([cycle, value]);
  counters[counter].most = Math.max(counters[counter].most, value);
}

for (const track of tracks) {
  // What nests in itself takes a line for each depth, up to four.
  const ends = [];
  track.depth = 1;
  for (const slice of track.slices) {
    while (ends.length && ends[ends.length - 1] <= slice.start) ends.pop();
    slice.depth = Math.min(ends.length, 3);
    track.depth = Math.max(track.depth, slice.depth + 1);
    ends.push(slice.end);
  }
}

// Where each track and each counter begins.
let height = 0;
let seen = tracks; // The tracks that aren't hidden.
function layOut() {
  height = 0;
  seen = tracks.filter((track) => !track.isHidden);
  let group = "";
  for (const track of seen) {
    if (track.group !== group) height += GAP;
    group = track.group;
    track.top = height;
    height += ROW * track.depth;
  }
  for (const counter of counters) {
    counter.top = (height += GAP);
    height += ROW * 1.5;
  }
  height += GAP;
}
layOut();

const whole = [data.window[0], Math.max(data.window[1], data.window[0] + SPAN_MIN)];
let [from, to] = whole;
let picked = null;
let cursors = [null, null]; // Cycles.
let pointer = null; // The cycle under the pointer.
let hits = [];
let hit = -1;
let isPending = false;

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
const isDark = () => matchMedia("(prefers-color-scheme: dark)").matches;

function time(cycles, digits) {
  const seconds = cycles / data.clock;
  const [unit, factor] =
    Math.abs(seconds) >= 1 ? ["s", 1] : Math.abs(seconds) >= 1e-3 ? ["ms", 1e3] : ["µs", 1e6];
  return `${(seconds * factor).toFixed(digits ?? 3)} ${unit}`;
}

// Each name is a golden angle further than the one before, so that neighbours differ.
const ANGLE = 137.508;
const hues = new Map();
function hue(text) {
  if (!hues.has(text)) hues.set(text, Math.round(hues.size * ANGLE + 210) % 360);
  return hues.get(text);
}
for (const name of [...data.names, ...data.counters]) hue(name);

// The time in which something waits is paler than that in which it runs; what could run and
// doesn't stands out.
const READY = "ready";
const colours = new Map();
function colour(name, kind = "slice") {
  const key = [isDark(), kind, name].join();
  if (!colours.has(key)) {
    const [dark, light] = { slice: [42, 72], thin: [62, 46], state: [24, 91] }[kind];
    const isReady = kind === "state" && name === READY;
    const [part, bright] = isReady ? [85, isDark() ? 48 : 60] : [55, isDark() ? dark : light];
    colours.set(key, `hsl(${isReady ? 42 : hue(name)} ${part}% ${bright}%)`);
  }
  return colours.get(key);
}

// The width in pixels, looked up once for each picture: asking for it lays the page out.
let wide = 0;
const width = () => wide;
const x = (cycle) => LABEL + ((cycle - from) / (to - from)) * (width() - LABEL);
const cycleAt = (pixel) => from + ((pixel - LABEL) / (width() - LABEL)) * (to - from);

// The first of a list, which is in the order of time, that begins in a cycle or behind it.
function firstAt(list, cycle) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle].start < cycle) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The same with a few before it, which may reach into the view.
const firstBehind = (list, cycle) => Math.max(0, firstAt(list, cycle) - 8);

function prepare(canvas, wide, high) {
  const scale = devicePixelRatio || 1;
  canvas.style.width = `${wide}px`;
  canvas.style.height = `${high}px`;
  canvas.width = Math.round(wide * scale);
  canvas.height = Math.round(high * scale);
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.font = "12px system-ui, sans-serif";
  pen.textBaseline = "middle";
  return pen;
}

function drawAxis() {
  const pen = prepare(axis, width(), 24);
  pen.fillStyle = style("--faint");
  pen.strokeStyle = style("--line");
  // A line each 1, 2 or 5 of a power of ten, some hundred pixels apart.
  const perPixel = (to - from) / data.clock / Math.max(1, width() - LABEL);
  const rough = perPixel * 110;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= rough) * power;
  const digits = Math.max(0, -Math.floor(Math.log10(step * (step < 1e-3 ? 1e6 : step < 1 ? 1e3 : 1)) + 1e-9));
  for (let at = Math.ceil(from / data.clock / step) * step; at <= to / data.clock; at += step) {
    const pixel = x(at * data.clock);
    pen.fillRect(pixel, 18, 1, 6);
    const [unit, factor] = step >= 1 ? ["s", 1] : step >= 1e-3 ? ["ms", 1e3] : ["µs", 1e6];
    pen.fillText(`${(at * factor).toFixed(digits)} ${unit}`, pixel + 3, 10);
  }
  pen.clearRect(0, 0, LABEL, 24);
  pen.fillText(`${time(to - from)} in view`, 8, 12);
}

function drawTrack(pen, track) {
  const cyclesPerPixel = (to - from) / Math.max(1, width() - LABEL);
  const { slices } = track;
  let last = -1;
  let index = firstBehind(slices, from);
  while (index < slices.length && slices[index].start <= to) {
    const slice = slices[index++];
    if (slice.end < from) continue;
    const right = Math.floor(Math.max(x(slice.end), x(slice.start) + 1));
    if (slice.depth > 0 || right > last) drawSlice(pen, track, slice);
    if (slice.depth > 0) continue;
    last = Math.max(last, right);
    // What begins in the same pixel is not seen.
    if (track.depth === 1 && slices[index]?.start < slice.start + cyclesPerPixel) {
      const next = firstAt(slices, slice.start + cyclesPerPixel);
      index = Math.max(index, next - 1);
    }
  }
  // One that began long before reaches into the view.
  if (track.cover === undefined) track.cover = longest(track.slices);
  for (const slice of track.cover) {
    if (slice.start < from && slice.end > from) drawSlice(pen, track, slice);
  }
  pen.fillStyle = style("--text");
  let behind = -1;
  for (let index = firstBehind(track.marks, from); index < track.marks.length; index++) {
    const mark = track.marks[index];
    if (mark.start > to) break;
    // One in the last cycle stays in sight.
    const left = Math.min(x(mark.start), width() - 2);
    if (left < LABEL || left < behind) continue;
    pen.fillRect(left, track.top + 3, 2, ROW - 6);
    const next = track.marks[index + 1];
    const room = (next ? x(next.start) : width()) - left - 8;
    // The last line of a channel has room before it, if it has none behind.
    const before = left - Math.max(LABEL, behind) - 8;
    const text = fit(pen, mark.name, Math.max(room, before));
    if (room > 20) pen.fillText(fit(pen, mark.name, room), left + 5, track.top + ROW / 2);
    else if (!next && before > 20) pen.fillText(text, left - 5 - pen.measureText(text).width, track.top + ROW / 2);
    behind = left + 2;
  }
}

// The longest slices of a list: one that begins far before the view may reach into it.
function longest(slices) {
  return [...slices].sort((a, b) => b.end - b.start - (a.end - a.start)).slice(0, 2000);
}

function drawSlice(pen, track, slice) {
  const left = Math.max(LABEL, x(slice.start));
  const right = Math.min(width(), Math.max(x(slice.end), left + 1));
  if (right < LABEL) return;
  const top = track.top + slice.depth * ROW + 2;
  const isThin = right - left <= THIN;
  pen.fillStyle = colour(slice.name, ["states", "machines"].includes(track.group) ? "state" : isThin ? "thin" : "slice");
  pen.fillRect(left, top, right - left, ROW - 4);
  if (slice === picked || (hit >= 0 && hits[hit] === slice)) {
    pen.strokeStyle = style("--pick");
    pen.lineWidth = 2;
    pen.strokeRect(left, top, right - left, ROW - 4);
  }
  if (right - left > 24) {
    pen.fillStyle = style("--text");
    pen.fillText(fit(pen, slice.name, right - left - 8), left + 4, top + ROW / 2 - 2);
  }
}

function fit(pen, text, room) {
  if (pen.measureText(text).width <= room) return text;
  const letters = Math.max(0, Math.floor(room / 7) - 1);
  return letters > 4 ? `${text.slice(0, letters)}…` : "";
}

// Whether an arrow shows more than that something was woken and ran at once: a distance, or that
// of the selected slice.
function tells([source, start, target, end]) {
  const isOf = (track, cycle) =>
    picked && picked.track === track && picked.start <= cycle && cycle <= picked.end;
  return x(end) - x(start) >= ARROW_WIDE || isOf(source, start) || isOf(target, end);
}

function drawArrows(pen) {
  const isSeen = ([source, , target]) => !tracks[source].isHidden && !tracks[target].isHidden;
  let inView = data.arrows.filter((one) => one[3] >= from && one[1] <= to && isSeen(one));
  if (inView.length > ARROWS_MAX) inView = inView.filter(tells);
  pen.strokeStyle = pen.fillStyle = style("--arrow");
  pen.lineWidth = 1;
  for (const [source, start, target, end] of inView) {
    const [left, right] = [x(start), x(end)];
    const above = tracks[source].top + ROW / 2;
    const below = tracks[target].top + ROW / 2;
    if (left < LABEL || right > width()) continue;
    pen.beginPath();
    pen.moveTo(left, above);
    const middle = (left + right) / 2;
    pen.bezierCurveTo(middle, above, middle, below, right, below);
    pen.stroke();
    pen.beginPath();
    pen.moveTo(right, below);
    pen.lineTo(right - 6, below - 3);
    pen.lineTo(right - 6, below + 3);
    pen.fill();
  }
}

function drawCounter(pen, counter) {
  const high = ROW * 1.5;
  const y = (value) => counter.top + high - (value / counter.most) * (high - 4);
  pen.strokeStyle = colour(counter.name);
  pen.lineWidth = 1.5;
  pen.beginPath();
  let value = null;
  // What shares a pixel column is one line, from its lowest value to its highest.
  let column = null;
  const end = () => {
    if (!column) return;
    pen.lineTo(column.pixel, y(column.low));
    pen.lineTo(column.pixel, y(column.high));
    pen.lineTo(column.pixel, y(value));
    column = null;
  };
  for (const [cycle, next] of counter.samples) {
    if (cycle > to) break;
    if (cycle >= from) {
      const pixel = Math.floor(x(cycle));
      if (column?.pixel !== pixel) {
        end();
        if (value === null) pen.moveTo(pixel, y(next));
        else pen.lineTo(pixel, y(value));
        column = { pixel, low: next, high: next };
      }
      column.low = Math.min(column.low, next);
      column.high = Math.max(column.high, next);
    } else {
      pen.moveTo(LABEL, y(next));
    }
    value = next;
  }
  end();
  if (value !== null) pen.lineTo(width(), y(value));
  pen.stroke();
}

// The cursors, and the time between them.
function drawCursors(pen) {
  pen.fillStyle = style("--pick");
  for (const [index, cycle] of cursors.entries()) {
    if (cycle === null || cycle < from || cycle > to) continue;
    pen.fillRect(Math.round(x(cycle)), 0, 1, height);
    pen.fillText(`${index + 1}`, x(cycle) + 3, 8);
  }
}

function drawLabels(pen) {
  pen.fillStyle = style("--back");
  pen.fillRect(0, 0, LABEL, height);
  let group = "";
  for (const track of seen) {
    pen.fillStyle = style("--line");
    if (track.group !== group) pen.fillRect(0, track.top - GAP / 2, width(), 1);
    pen.fillStyle = style("--text");
    pen.fillText(fit(pen, track.name, LABEL - 90), 8, track.top + ROW / 2);
    if (track.group !== group) {
      pen.fillStyle = style("--faint");
      pen.fillText(track.group, LABEL - 78, track.top + ROW / 2);
    }
    group = track.group;
  }
  for (const counter of counters) {
    pen.fillStyle = style("--text");
    pen.fillText(fit(pen, counter.name, LABEL - 90), 8, counter.top + ROW);
    pen.fillStyle = style("--faint");
    pen.fillText(`0 to ${counter.most}`, LABEL - 78, counter.top + ROW);
  }
}

function draw() {
  isPending = false;
  wide = scroll.clientWidth;
  drawAxis();
  const pen = prepare(view, width(), height);
  seen.forEach((track, index) => {
    if (index % 2) return;
    pen.fillStyle = style("--band");
    pen.fillRect(LABEL, track.top, width(), ROW * track.depth);
  });
  for (const track of seen) drawTrack(pen, track);
  for (const counter of counters) drawCounter(pen, counter);
  drawArrows(pen);
  drawCursors(pen);
  drawLabels(pen);
}

function redraw() {
  if (!isPending) requestAnimationFrame(draw);
  isPending = true;
}

function show(start, end) {
  const span = Math.min(whole[1] - whole[0], Math.max(SPAN_MIN, end - start));
  from = Math.min(Math.max(whole[0], start), whole[1] - span);
  to = from + span;
  redraw();
}

function zoom(factor, cycle) {
  const centre = cycle ?? (from + to) / 2;
  show(centre - (centre - from) * factor, centre + (to - centre) * factor);
}

const pan = (part) => show(from + (to - from) * part, to + (to - from) * part);

function tell(one) {
  about.replaceChildren();
  const between = cursorsInWords();
  const line = (text, isFaint) => {
    const element = document.createElement("div");
    element.textContent = text;
    if (isFaint) element.className = "faint";
    about.append(element);
  };
  if (!one) {
    line("Drag to move, wheel to zoom (Shift+wheel moves), click for details.");
    line(
      "Keys: A D or arrows move, W S or + - zoom, 0 shows all, F the selected one, / searches, " +
        ". and , select the next and previous of a track, 1 and 2 set cursors, X takes them back, " +
        "H hides the selected track, U shows all tracks",
      true,
    );
    if (between) line(between);
    return;
  }
  const track = tracks[one.track];
  line(`${one.name} (${track.group}: ${track.name})`);
  if (between) line(between);
  if (one.isMark) return line(`at ${time(one.start, 6)}, cycle ${one.start}`, true);
  const cycles = one.end - one.start;
  line(
    `${cycles} cycles (${time(cycles)}), ${one.own} of its own; from ${time(one.start, 6)}, ` +
      `cycle ${one.start}, to cycle ${one.end}`,
    true,
  );
}

// The time between the cursors, and what the selected track does in it.
function cursorsInWords() {
  if (cursors.every((cycle) => cycle === null)) return "";
  if (cursors.includes(null)) {
    const index = cursors.findIndex((cycle) => cycle !== null);
    return `Cursor ${index + 1} at ${time(cursors[index], 6)}, cycle ${cursors[index]}`;
  }
  const [begin, end] = [...cursors].sort((a, b) => a - b);
  const text = `Between the cursors: ${end - begin} cycles (${time(end - begin)})`;
  if (!picked) return text;
  const inside = tracks[picked.track].slices.filter((one) => one.end > begin && one.start < end);
  const most = Math.max(0, ...inside.map((one) => one.end - one.start));
  const busy = inside.reduce(
    (sum, one) => sum + (one.depth ? 0 : Math.min(end, one.end) - Math.max(begin, one.start)), 0);
  const share = end > begin ? (100 * busy) / (end - begin) : 0;
  return `${text}; ${tracks[picked.track].name}: ${inside.length} slices, ${busy} cycles ` +
    `(${share.toFixed(1)} %), the longest ${most}`;
}

// A cursor goes to the pointer, or to the begin of the selected slice, and its end for the second.
function setCursor(index) {
  const edge = picked ? [picked.start, picked.end][index] : Math.round((from + to) / 2);
  cursors[index] = pointer ?? edge;
  tell(picked);
  redraw();
}

// The next or the previous one of the selected track, or the first of all in view.
function neighbour(by) {
  const list = picked ? tracks[picked.track].slices : seen.find((one) => one.slices.length)?.slices;
  if (!list) return;
  const index = picked ? list.indexOf(picked) + by : firstAt(list, from);
  const one = list[Math.min(Math.max(index, 0), list.length - 1)];
  if (one) reveal(one);
}

function hide() {
  if (!picked || seen.length < 2) return;
  tracks[picked.track].isHidden = true;
  layOut();
  pick(null);
}

function showTracks() {
  for (const track of tracks) track.isHidden = false;
  layOut();
  redraw();
}

function pick(one) {
  picked = one;
  tell(one);
  redraw();
}

function at(pixel, y) {
  const track = seen.find((one) => y >= one.top && y < one.top + ROW * one.depth);
  if (!track || pixel < LABEL) return null;
  const cycle = cycleAt(pixel);
  const near = ((to - from) / width()) * 3;
  const mark = track.marks.find((one) => Math.abs(one.start - cycle) < near * 2);
  if (mark) return mark;
  const depth = Math.floor((y - track.top) / ROW);
  const reaches = (one) => one.start - near <= cycle && one.end + near >= cycle;
  const begin = firstBehind(track.slices, cycle - near) - 1000;
  const close = track.slices.slice(Math.max(0, begin), firstAt(track.slices, cycle + near) + 1);
  const found = [...close, ...track.cover].filter((one) => one.depth === depth && reaches(one));
  found.sort((a, b) => a.end - a.start - (b.end - b.start));
  return found[0] ?? null;
}

function find() {
  const wanted = search.value.trim().toLowerCase();
  hits = [];
  hit = -1;
  if (wanted) {
    for (const track of tracks) {
      const isTrack = track.name.toLowerCase().includes(wanted);
      for (const one of [...track.slices, ...track.marks]) {
        if (isTrack || one.name.toLowerCase().includes(wanted)) hits.push(one);
      }
    }
    hits.sort((a, b) => a.start - b.start);
  }
  hitsText.textContent = wanted ? `${hits.length} found` : "";
  redraw();
}

function step(by) {
  if (!hits.length) return;
  if (hit < 0) {
    const first = hits.findIndex((one) => one.start >= from);
    hit = by > 0 ? Math.max(0, first) : (first < 0 ? hits.length : first) - 1;
    hit = (hit + hits.length) % hits.length;
  } else {
    hit = (hit + by + hits.length) % hits.length;
  }
  hitsText.textContent = `${hit + 1} of ${hits.length}`;
  reveal(hits[hit]);
}

// Selects one and brings it into the view.
function reveal(one) {
  if (tracks[one.track].isHidden) {
    tracks[one.track].isHidden = false;
    layOut();
  }
  if (one.start < from || one.end > to) {
    const span = Math.max(to - from, (one.end - one.start) * 1.5);
    const middle = (one.start + one.end) / 2;
    show(middle - span / 2, middle + span / 2);
  }
  pick(one);
  const top = tracks[one.track].top;
  if (top < scroll.scrollTop || top + ROW > scroll.scrollTop + scroll.clientHeight) {
    scroll.scrollTop = top - scroll.clientHeight / 2;
  }
}

let drag = null;
for (const canvas of [view, axis]) {
  canvas.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, from, to, moved: 0 };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointerleave", () => { pointer = null; });
  canvas.addEventListener("pointermove", (event) => {
    const isOnTracks = event.offsetX >= LABEL;
    pointer = isOnTracks ? Math.round(cycleAt(event.offsetX)) : null;
    if (!drag) return;
    const moved = event.clientX - drag.x;
    drag.moved = Math.max(drag.moved, Math.abs(moved));
    const cycles = (moved / (width() - LABEL)) * (drag.to - drag.from);
    if (drag.moved > 3) show(drag.from - cycles, drag.to - cycles);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (drag && drag.moved <= 3 && canvas === view) pick(at(event.offsetX, event.offsetY));
    drag = null;
  });
  canvas.addEventListener("wheel", (event) => {
    // In a frame of a longer page, the wheel moves that page until somebody clicks here.
    if (window !== parent && !document.hasFocus()) return;
    const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    event.preventDefault();
    if (isSideways) pan((event.deltaX || event.deltaY) / 1000);
    else zoom(Math.exp(event.deltaY / 400), cycleAt(Math.max(LABEL, event.offsetX)));
  }, { passive: false });
}

const keys = {
  a: () => pan(-0.2), ArrowLeft: () => pan(-0.2), d: () => pan(0.2), ArrowRight: () => pan(0.2),
  w: () => zoom(0.7), "+": () => zoom(0.7), "=": () => zoom(0.7), s: () => zoom(1 / 0.7),
  "-": () => zoom(1 / 0.7), 0: () => show(...whole), Home: () => show(...whole),
  f: () => picked && show(picked.start * 1.1 - picked.end * 0.1, picked.end * 1.1 - picked.start * 0.1),
  ".": () => neighbour(1), ",": () => neighbour(-1), 1: () => setCursor(0), 2: () => setCursor(1),
  x: () => { cursors = [null, null]; tell(picked); redraw(); }, h: hide, u: showTracks,
  n: () => step(1), p: () => step(-1), Escape: () => pick(null), "/": () => search.focus(),
};
addEventListener("keydown", (event) => {
  if (event.target === search) {
    if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    if (event.key === "Escape") view.focus();
    return;
  }
  const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  act();
});
search.addEventListener("input", find);
document.getElementById("next").addEventListener("click", () => step(1));
document.getElementById("previous").addEventListener("click", () => step(-1));
document.getElementById("whole").addEventListener("click", () => show(...whole));
addEventListener("resize", redraw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

tell(null);
redraw();
