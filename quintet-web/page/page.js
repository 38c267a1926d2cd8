// The page: what is chosen goes to a worker (worker.js), what the worker reports is shown.
//
// #example=NAME chooses an example, #example=NAME&run runs it at once, &board=NAME chooses another
// board, and &tab=timeline or &tab=profile shows that. The address follows what is chosen.
import init, { boards } from "./quintet_web.js";

const element = (id) => document.getElementById(id);
const output = element("output");
const form = element("form");

const OUTPUT_MAX = 2_000_000; // So many characters are shown: more would make the page slow.
const ROWS_MAX = 50; // So many functions are shown, the heaviest.

let examples = [];
let own = []; // The files that were dropped, as { name, bytes }.
let worker = null;
let shown = 0;
let waiting = []; // Output that the next frame will show, as { channel, text }.
let isWaiting = false;
let isReady = false;
let links = []; // The pictures of the last run, as links to memory.

function say(text, isBad = false) {
  element("status").textContent = text;
  element("status").classList.toggle("bad", isBad);
}

function add(parent, tag, text, className) {
  const child = document.createElement(tag);
  if (text !== undefined) child.textContent = text;
  if (className) child.className = className;
  parent.append(child);
  return child;
}

// Numbers as the command prints them: a thin space between thousands.
const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, "\u2009");

function time(seconds) {
  const [unit, factor] = seconds >= 1 ? ["s", 1] : seconds >= 1e-3 ? ["ms", 1e3] : ["µs", 1e6];
  return `${(seconds * factor).toFixed(3)} ${unit}`;
}

// Tabs: a click, or the arrows.
const tabs = [...document.querySelectorAll('[role="tab"]')];
function choose(tab) {
  for (const one of tabs) {
    const isChosen = one === tab;
    one.setAttribute("aria-selected", isChosen);
    one.tabIndex = isChosen ? 0 : -1;
    element(one.getAttribute("aria-controls")).hidden = !isChosen;
  }
  load();
  follow();
}

// The address of what is chosen: somebody else opens the same by it.
function follow() {
  if (!isReady) return;
  const tab = tabs.find((one) => one.getAttribute("aria-selected") === "true");
  const chosen = new URLSearchParams();
  if (element("example").value) chosen.set("example", element("example").value);
  chosen.set("board", element("board").value);
  chosen.set("tab", tab.id.replace("tab-", ""));
  history.replaceState(null, "", `#${chosen}`);
}
tabs.forEach((tab, index) => {
  tab.addEventListener("click", () => choose(tab));
  tab.addEventListener("keydown", ({ key }) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (!by) return;
    const next = tabs[(index + by + tabs.length) % tabs.length];
    choose(next);
    next.focus();
  });
});

function showFiles() {
  element("files").replaceChildren();
  for (const { name, bytes } of own) {
    add(element("files"), "li", `${name}, ${grouped(bytes.length)} bytes`);
  }
}

async function take(list) {
  const read = async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
  own = await Promise.all([...list].map(read));
  element("example").value = "";
  showExample();
  showFiles();
}

const chosenExample = () => examples.find(({ name }) => name === element("example").value);

// What a choice of an example brings with it. A run later leaves the board as it was chosen.
function showExample() {
  const example = chosenExample();
  element("about").textContent = example?.about ?? "";
  if (example) element("board").value = example.board;
  follow();
}

// What the address asks for. Returns what it asks for in vain.
function obey(wanted) {
  const name = wanted.get("example") ?? examples[0]?.name ?? "";
  const isKnown = name === "" || examples.some((one) => one.name === name);
  element("example").value = isKnown ? name : "";
  showExample();
  const board = wanted.get("board");
  const isBoard = [...element("board").options].some((one) => one.value === board);
  if (isBoard) element("board").value = board;
  if (!isKnown) {
    const names = examples.map((one) => one.name).join(", ");
    return `There is no example "${name}". There are: ${names}.`;
  }
  return board && !isBoard ? `There is no board "${board}".` : "";
}

async function fetched(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path} is missing in the folder of this page`);
  return answer;
}

async function files() {
  const example = chosenExample();
  if (!example) return own;
  const read = async (name) => ({
    name, bytes: new Uint8Array(await (await fetched(`examples/${name}`)).arrayBuffer()),
  });
  return Promise.all(example.files.map(read));
}

async function start() {
  end();
  output.replaceChildren();
  element("end").replaceChildren();
  note(element("panel-timeline"), "The timeline is drawn when the run has ended.");
  note(element("panel-profile"), "The profile is shown when the run has ended.");
  links.forEach((link) => URL.revokeObjectURL(link));
  links = [];
  shown = 0;
  waiting = [];
  document.body.dataset.state = "running";
  bringIntoView(document.querySelector("section"));
  element("run").disabled = true;
  element("stop").disabled = false;
  say("Loading.");
  try {
    const options = {
      board: element("board").value,
      max_cycles: Math.max(0, Math.round(Number(element("cycles").value))),
      stdin: element("stdin").value,
      timeline: element("timeline").checked,
      profile: element("profile").checked,
    };
    const message = { files: await files(), options };
    worker = new Worker("worker.js", { type: "module" });
    worker.onmessage = ({ data }) => receive(data);
    worker.onerror = ({ message }) => fail(message ?? "the simulator could not be loaded");
    worker.postMessage(message);
  } catch (error) {
    fail(error.message);
  }
}

// Behind a run, or when another one begins.
function end() {
  worker?.terminate();
  worker = null;
  element("run").disabled = false;
  element("stop").disabled = true;
}

function fail(text) {
  say(text, true);
  end();
  document.body.dataset.state = "failed";
  bringIntoView(element("status"));
}

// On a narrow screen results are below the form, and errors above them.
function bringIntoView(one) {
  const { top, bottom } = one.getBoundingClientRect();
  if (top < 0 || bottom > innerHeight) one.scrollIntoView({ block: "start" });
}

function receive(data) {
  if (data.error !== undefined) return fail(data.error);
  if (data.report) return show(data.report);
  showTimeline(data.timeline);
  showProfile(data.profile, data.flame);
  end();
  document.body.dataset.state = "ended";
}

// Firmware may print a character at a time. So pieces of a channel are joined, and shown once for
// each frame.
function print(channel, text) {
  if (shown > OUTPUT_MAX) return;
  shown += text.length;
  if (shown > OUTPUT_MAX) text = "\n(the page shows no more of the output)\n";
  const last = waiting[waiting.length - 1];
  if (last?.channel === channel) last.text += text;
  else waiting.push({ channel, text });
}

function flush() {
  isWaiting = false;
  const panel = element("panel-output");
  const isAtEnd = panel.scrollTop + panel.clientHeight >= panel.scrollHeight - 8;
  for (const { channel, text } of waiting) {
    const last = output.lastChild;
    // One element for each stretch of a channel.
    if (last?.dataset.channel === channel) last.append(text);
    else add(output, "span", text, channel === "quintet" ? "tool" : channel).dataset.channel = channel;
  }
  waiting = [];
  if (isAtEnd) panel.scrollTop = panel.scrollHeight;
}

function flushSoon() {
  if (!isWaiting) requestAnimationFrame(flush);
  isWaiting = true;
}

function show({ output: pieces, cycle, instructions, clock_hz: clock, end }) {
  for (const { channel, text } of pieces) print(channel, text);
  if (end) {
    showEnd(end);
    flush();
  } else {
    flushSoon();
  }
  const words = end ? ended(end) : "Running";
  say(`${words}: ${grouped(cycle)} cycles (${time(cycle / clock)} on the board), ` +
    `${grouped(instructions)} instructions.`);
}

function ended({ outcome, code }) {
  return {
    exit: `The firmware ended with code ${code}`,
    died: "The firmware died",
    limit: "The limit was reached",
    asleep: "The firmware sleeps for ever",
    interrupted: "Stopped",
  }[outcome] ?? outcome;
}

function showEnd(end) {
  const isGood = end.outcome === "exit" && end.code === 0;
  add(element("end"), "strong", `${ended(end)}.\n`, isGood ? "" : "bad");
  for (const text of end.texts) add(element("end"), "span", `\n${text}\n`);
}

function note(panel, text) {
  panel.replaceChildren();
  add(panel, "p", text, "faint");
}

// A document in a frame: the pages of the command are shown as they are. Its script measures the
// frame, so that it is loaded only where it is seen.
function frame(panel, title, text, type) {
  const link = URL.createObjectURL(new Blob([text], { type }));
  links.push(link);
  const frame = add(panel, "iframe");
  frame.title = title;
  frame.dataset.link = link;
  load();
}

function load() {
  for (const frame of document.querySelectorAll('[role="tabpanel"]:not([hidden]) iframe')) {
    if (!frame.src) frame.src = frame.dataset.link;
  }
}

function showTimeline(page) {
  const panel = element("panel-timeline");
  if (!page) return note(panel, "No timeline was recorded.");
  panel.replaceChildren();
  frame(panel, "the timeline of the run", page, "text/html");
  const save = add(panel, "a", "save this page", "save");
  save.href = links[links.length - 1];
  save.download = "timeline.html";
}

function showProfile(profile, flame) {
  const panel = element("panel-profile");
  if (!profile) return note(panel, "No profile was recorded.");
  panel.replaceChildren();
  add(panel, "p", `Of ${grouped(profile.cycles)} cycles, each counted:`);
  const share = (part) => (profile.cycles ? (100 * part) / profile.cycles : 0);
  table(panel, ["context", "cycles", "share"],
    profile.contexts.map(({ name, cycles }) => [name, grouped(cycles), share(cycles)]));
  table(panel, ["function", "self", "share", "with those it calls", "calls"],
    profile.functions.slice(0, ROWS_MAX).map((one) => [
      one.name, grouped(one.own_cycles), share(one.own_cycles), grouped(one.cycles),
      one.calls === null ? "" : grouped(one.calls),
    ]));
  const others = profile.functions.length - ROWS_MAX;
  if (others > 0) add(panel, "p", `and ${others} that take less`, "faint");
  if (flame) frame(panel, "the profile as a flame graph", flame, "image/svg+xml");
}

function table(panel, columns, rows) {
  const body = add(panel, "table");
  const head = add(add(body, "thead"), "tr");
  columns.forEach((name, index) => {
    add(head, "th", name, index ? "number" : "").scope = "col";
  });
  const lines = add(body, "tbody");
  for (const row of rows) {
    const line = add(lines, "tr");
    row.forEach((value, index) => {
      const isShare = columns[index] === "share";
      const text = isShare ? `${value.toFixed(2)} %` : value;
      const cell = add(line, "td", text, index ? "number" : "");
      if (!isShare) return;
      cell.classList.add("share");
      cell.style.backgroundSize = `${value}% 100%`;
    });
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  choose(tabs[0]);
  start();
});
element("stop").addEventListener("click", () => worker?.postMessage("stop"));
element("example").addEventListener("change", () => {
  own = [];
  showFiles();
  showExample();
});
element("board").addEventListener("change", follow);
element("pick").addEventListener("change", ({ target }) => take(target.files));
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    element("drop").classList.toggle("over", kind === "dragover");
    if (kind === "drop" && event.dataTransfer.files.length) take(event.dataTransfer.files);
  });
}

try {
  await init();
  for (const { name, description } of JSON.parse(boards())) {
    add(element("board"), "option", `${name}: ${description}`).value = name;
  }
  examples = await (await fetched("examples/examples.json")).json();
  for (const { name } of examples) add(element("example"), "option", name).value = name;
  const wanted = new URLSearchParams(location.hash.slice(1));
  const problem = obey(wanted);
  choose(tabs.find((one) => one.id === `tab-${wanted.get("tab")}`) ?? tabs[0]);
  isReady = true;
  if (problem) {
    fail(problem);
  } else {
    say("Ready.");
    document.body.dataset.state = "ready";
    follow();
    if (wanted.has("run")) start();
  }
} catch (error) {
  fail(error.message);
}
