// The trace and the profile of the chosen job, and reports of other interceptors.
import {byId, bytes, element, fill, number, picture, plural, rows, setText, shape} from './elements.js';
import {download, get, text} from './server.js';

const AGAIN_MILLIS = 5000;
const MOST_RANKS = 64;
const MOST_SITES = 40;
const TRACE = 'trace';
const PROFILE = 'intercept.profile';
const HINTS = {
  [TRACE]: 'No trace is kept of this job. A job that is started with -p trace=on has one when its ranks have ended; '
    + '-p intercept=trace adds messages and waits of the program.',
  [PROFILE]: 'No profile is kept of this job. A job that is started with -p intercept=profile has one when it has called MPI.Finalize.',
};

let current = null;

const path = (id, name) => '/api/jobs/' + encodeURIComponent(id) + '/' + name;
const find = (all, name) => all.kept.find(k => k.name === name);

/** Shows what is kept of a job; asks for it when the job is chosen and when it has ended, and again while something is missing. */
export async function showMeasurements(id, isRunning, now) {
  if (!current || current.id !== id) { choose(id); }
  const shown = current;
  if (shown.isAsking || shown.isDone || (shown.isRunning === isRunning && now - shown.askedAt < AGAIN_MILLIS)) { return; }
  shown.isAsking = true;
  shown.isRunning = isRunning;
  shown.askedAt = now;
  try {
    const all = await get(path(id, 'measurements'));
    const isTraced = await showTrace(shown, all);
    const isProfiled = await showProfile(shown, all);
    if (shown === current) { showReports(all); }
    shown.isDone = !isRunning && isTraced && isProfiled && all.kept.every(k => k.state !== 'ARRIVING');
  } catch (e) {
    console.debug('no measurements', e);
  } finally {
    shown.isAsking = false;
  }
}

function choose(id) {
  current = {id, isAsking: false, isDone: false, isRunning: null, askedAt: 0, hasTrace: false, hasProfile: false};
  for (const at of ['trace-buttons', 'trace-picture', 'profile']) { byId(at).hidden = true; }
  byId('trace-picture').replaceChildren();
  byId('reports').replaceChildren();
  byId('reports-part').hidden = true;
  setText(byId('trace-note'), '');
  setText(byId('profile-note'), '');
}

/** Says what has become of a measurement. */
function note(all, name, what, kept) {
  const limit = 'tutti.node.measurements=' + all.limit;
  switch (kept && kept.state) {
    case 'KEPT': return '';
    case 'ARRIVING': return 'The ' + what + ' arrives when the ranks have ended.';
    case 'TOO_LONG': return all.limit === 0 ? 'Node ' + all.node + ' keeps no ' + what + 's: ' + limit + '.'
      : 'The ' + what + ' was longer than all that node ' + all.node + ' keeps, ' + limit + '.'
        + (name === TRACE ? ' Write it to a file: tutti run --trace FILE.' : '');
    case 'DROPPED': return 'The ' + what + ' is gone: newer jobs needed its place on node ' + all.node + ', ' + limit + '.';
    default: return HINTS[name];
  }
}

/** Shows the trace; returns whether there is no more to show. */
async function showTrace(shown, all) {
  const kept = find(all, TRACE);
  if (!shown.hasTrace || !kept || kept.state !== 'KEPT') { setText(byId('trace-note'), note(all, TRACE, 'trace', kept)); }
  const isKept = kept && kept.state === 'KEPT';
  byId('trace-buttons').hidden = !isKept;
  if (!isKept || shown.hasTrace) { return true; }
  setText(byId('trace-note'), 'The node draws the trace...');
  try {
    const svg = await text(path(shown.id, 'trace.svg'));
    if (shown !== current) { return true; }
    fill(byId('trace-picture'), [picture(svg)]);
    byId('trace-picture').hidden = false;
    shown.hasTrace = true;
    setText(byId('trace-note'), plural(all.tracedRanks, 'rank') + ', ' + bytes(kept.bytes) + '. Node ' + all.node
      + ' keeps it until it ends, or newer jobs need the place.');
    return true;
  } catch (failure) {
    if (shown === current) { setText(byId('trace-note'), failure.message); }
    return false;
  }
}

async function showProfile(shown, all) {
  const kept = find(all, PROFILE);
  const isKept = kept && kept.state === 'KEPT';
  if (!isKept) { setText(byId('profile-note'), note(all, PROFILE, 'profile', kept)); }
  if (!isKept || shown.hasProfile) { return true; }
  try {
    const profile = await get(path(shown.id, 'profile'));
    if (shown !== current) { return true; }
    drawProfile(profile);
    byId('profile').hidden = false;
    shown.hasProfile = true;
    return true;
  } catch (failure) {
    if (shown === current) { setText(byId('profile-note'), failure.message); }
    return false;
  }
}

const percent = (part, whole) => whole === 0 ? 0 : 100 * part / whole;
const percentText = (part, whole) => percent(part, whole).toFixed(1) + ' %';

function time(nanos) {
  if (nanos >= 1e9) { return (nanos / 1e9).toFixed(3) + ' s'; }
  return nanos >= 1e6 ? (nanos / 1e6).toFixed(1) + ' ms' : (nanos / 1e3).toFixed(1) + ' µs';
}

/** Returns a bar of parts, each with a class and a length of the whole bar in percent. */
function bar(label, parts) {
  const svg = shape('svg', {class: 'share', role: 'img', 'aria-label': label});
  let from = 0;
  for (const [kind, length] of parts) {
    svg.append(shape('rect', {class: kind, x: from + '%', y: 2, width: length + '%', height: 12}));
    from += length;
  }
  return {node: svg};
}

function drawProfile(p) {
  setText(byId('profile-note'), percentText(p.mpiNanos, p.nanos) + ' of the time of ' + plural(p.ranks.length, 'rank') + ' was in MPI.'
    + (p.ranks.length > MOST_RANKS ? ' The table of ranks has the first ' + MOST_RANKS + '.' : ''));
  const longest = Math.max(1, ...p.ranks.map(r => r.nanos));
  rows(byId('profile-ranks'), p.ranks.slice(0, MOST_RANKS).map(r => ({key: p.job + ' ' + r.rank, cells: [String(r.rank), r.node, time(r.nanos),
    time(r.mpiNanos), percentText(r.mpiNanos, r.nanos),
    bar('rank ' + r.rank + ': ' + percentText(r.mpiNanos, r.nanos) + ' in MPI',
      [['computing', percent(Math.max(0, r.nanos - r.mpiNanos), longest)], ['waiting', percent(Math.min(r.mpiNanos, r.nanos), longest)]])]})));
  const drawn = p.sites.slice(0, MOST_SITES);
  rows(byId('profile-sites'), drawn.map(s => ({key: p.job + ' ' + s.operation + ' ' + s.line, cells: [s.operation, s.line, number(s.calls), time(s.nanos),
    percentText(s.nanos, p.mpiNanos), bar(percentText(s.nanos, p.mpiNanos) + ' of the time in MPI', [['waiting', percent(s.nanos, p.mpiNanos)]]),
    time(s.calls === 0 ? 0 : s.nanos / s.calls), time(s.longest), bytes(s.bytes),
    s.nanos === 0 ? '-' : (s.mostNanos * p.ranks.length / s.nanos).toFixed(2)]})));
  const more = p.sites.length - drawn.length + p.moreSites;
  setText(byId('profile-more'), more > 0 ? 'And ' + plural(more, 'line') + ' with less time.' : '');
  byId('profile-lengths-part').hidden = p.lengths.length === 0;
  const most = Math.max(1, ...p.lengths.map(l => l.calls));
  rows(byId('profile-lengths'), p.lengths.map(l => ({key: p.job + ' ' + l.upTo, cells: [bytes(l.upTo), number(l.calls),
    bar(plural(l.calls, 'call'), [['computing', percent(l.calls, most)]])]})));
}

/** Offers the reports of other interceptors for download. */
function showReports(all) {
  const others = all.kept.filter(k => k.name !== TRACE && k.name !== PROFILE && k.state === 'KEPT');
  byId('reports-part').hidden = others.length === 0;
  const key = JSON.stringify(others);
  if (byId('reports').dataset.key === key) { return; }
  byId('reports').dataset.key = key;
  byId('reports').replaceChildren(...others.map(k => element('li', {}, button(k.name + ', ' + bytes(k.bytes),
    path(all.job, 'report?name=' + encodeURIComponent(k.name)), all.job + '.' + k.name + '.' + k.mediaType.replace(/^.*[/+]/, '')))));
}

function button(title, from, file) {
  return element('button', {type: 'button', click: () => save(from, file)}, title);
}

async function save(from, file) {
  const result = byId('saved');
  result.classList.remove('bad');
  setText(result, '');
  try {
    await download(from, file);
  } catch (failure) {
    result.classList.add('bad');
    setText(result, failure.message);
  }
}

export function startMeasurements() {
  byId('trace-json').addEventListener('click', () => save(path(current.id, 'trace.json'), current.id + '.trace.json'));
  byId('trace-svg').addEventListener('click', () => save(path(current.id, 'trace.svg'), current.id + '.trace.svg'));
}
