// One run, beside the page: the page stays responsive, and ends the worker by terminating it.
//
// The page sends { files, options }, and "stop". The worker answers with { report } for each slice,
// at the end with { timeline, profile, flame }, or with { error }.
import init, { Files, Run } from "./quintet_web.js";

let run = null;
let isStopped = false;

// Between two slices messages must get through: a message of its own is behind those of the page.
const turn = new MessageChannel();
turn.port1.onmessage = () => guarded(slice);

function guarded(act) {
  try {
    act();
  } catch (error) {
    postMessage({ error: error.message ?? String(error) });
  }
}

function slice() {
  const report = JSON.parse(isStopped ? run.stop() : run.slice());
  postMessage({ report });
  if (report.end) finish();
  else turn.port2.postMessage(null);
}

function finish() {
  const profile = JSON.parse(run.profile() ?? "null");
  postMessage({ timeline: run.timeline(), profile: profile?.table, flame: profile?.flame });
}

async function start({ files, options }) {
  await init();
  guarded(() => {
    const opened = new Files();
    for (const { name, bytes } of files) opened.add(name, bytes);
    run = new Run(opened, JSON.stringify(options));
    slice();
  });
}

onmessage = ({ data }) => {
  if (data === "stop") isStopped = true;
  else start(data).catch((error) => postMessage({ error: error.message ?? String(error) }));
};
