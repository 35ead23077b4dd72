// Jobs over time, and the page of a job: what its ranks do, and who waits for whom.
import {age, axis, byId, clock, element, fill, lane, plural, rows, setText, shape} from './elements.js';
import {showMeasurements} from './measurements.js';
import {get} from './server.js';

const HISTORY_MILLIS = 5000;
const MOST_LANES = 64;
const MOST_DRAWN = 32;
const GAP_MILLIS = 4000;
const STATES = {0: 'succeeded', 1: 'failed', 3: 'lost a node', 4: 'no agreement', 7: 'cancelled', 8: 'deadlock', 124: 'timed out'};

const bars = new Map();
const seen = new Map();
let running = new Map();
let ended = [];
let askedAt = 0;
let shown = null;
let asking = false;
let last = null;

const window_ = () => Number(byId('window').value) * 60000;
const outcome = end => STATES[end.status] || 'ended with status ' + end.status;
const nameOf = job => job.program.replace(/^.*\//, '');
export const jobPage = id => '#/jobs/' + encodeURIComponent(id);

/** Takes a snapshot; asks for the jobs that have ended now and then, and when one is not there any more. */
export async function takeJobs(s) {
  const before = running;
  running = new Map(s.jobs.map(j => [j.id, j]));
  if (s.time - askedAt > HISTORY_MILLIS || [...before.keys()].some(id => !running.has(id))) {
    askedAt = s.time;
    try {
      ended = (await get('/api/history')).filter(j => j.end);
    } catch (e) {
      console.debug('no history', e);
    }
  }
}

export function showJobs(s) {
  last = s;
  const now = s.time;
  const window = window_();
  const past = ended.filter(j => !running.has(j.id) && now - (j.end.at || j.since) < window);
  const all = [...[...running.values()].sort((a, b) => b.since - a.since).map(job => ({job, end: null})), ...past.map(job => ({job, end: job.end}))];
  byId('gantt').hidden = all.length === 0;
  byId('no-jobs').hidden = all.length > 0;
  fill(byId('job-rows'), all.map(({job}) => bar(job.id).row));
  if (all.length === 0 || byId('gantt').clientWidth === 0) { return; }
  axis(byId('axis'), now, window);
  all.forEach(({job, end}) => drawBar(bar(job.id), job, end, now, window));
}

function bar(id) {
  let made = bars.get(id);
  if (!made) {
    const title = element('b');
    const small = element('small');
    const svg = shape('svg', {class: 'lane', role: 'img'});
    made = {title, small, svg, row: element('div', {class: 'job'}, element('a', {class: 'label', href: jobPage(id)}, title, small), svg)};
    bars.set(id, made);
  }
  return made;
}

function drawBar({title, small, svg}, job, end, now, window) {
  const state = end ? outcome(end) : job.state;
  const until = end ? end.at || job.since : now;
  const ran = age(until - job.since);
  setText(title, nameOf(job) + ', ' + plural(job.ranks, 'rank'));
  setText(small, job.id + ', ' + state + (job.nodes.length ? ', on ' + job.nodes.join(', ') : '') + ', by ' + job.launchedBy);
  const {width, x} = lane(svg, now, window);
  const from = x(job.since);
  const to = x(until);
  const kind = end ? end.status === 0 ? 'over' : 'failed' : job.state;
  svg.append(shape('rect', {class: 'bar ' + kind, x: from, y: 12, width: Math.max(to - from, 3), height: 18, rx: 2}));
  const text = (end && end.status !== 0 ? state + ' after ' : '') + ran;
  const isRight = to > width - 8 * text.length;
  if (!isRight || from > 8 * text.length) {
    svg.append(shape('text', {class: 'on', x: isRight ? from - 6 : to + 6, y: 26, 'text-anchor': isRight ? 'end' : 'start'}, text));
  }
  svg.setAttribute('aria-label', 'job ' + job.id + ', ' + state + ', ran for ' + ran);
}

/** Chooses the job whose page is shown; null for none. */
export function chooseJob(id) {
  shown = id;
  byId('rank-lanes').replaceChildren();
}

/** Shows the page of the chosen job, and asks what its ranks do. */
export async function showJob(s) {
  if (!shown) { return; }
  last = s;
  const id = shown;
  const job = running.get(id) || ended.find(j => j.id === id);
  setText(byId('job-title'), job ? nameOf(job) : 'Job ' + id);
  byId('job-missing').hidden = Boolean(job);
  byId('job-body').hidden = !job;
  if (!job) { return; }
  facts(job, s);
  showMeasurements(id, running.has(id), s.time);
  if (running.has(id) && !asking) {
    asking = true;
    try {
      take(id, await get('/api/jobs/' + encodeURIComponent(id) + '/ranks'), s.time);
    } catch (e) {
      console.debug('no ranks', e);
    } finally {
      asking = false;
    }
  }
  if (id === shown) { drawRanks(id, s.time, running.has(id)); }
}

/** Returns the number of ranks of a job, those that have failed, and those that have taken their places. */
function ranksOf(job) {
  const replaced = Object.entries(job.replaced || {}).map(([place, by]) => place + ' by ' + by);
  return job.ranks + ((job.failed || []).length ? '; failed: ' + job.failed.join(', ') : '') + (replaced.length ? '; replaced: ' + replaced.join(', ') : '');
}

function facts(job, s) {
  const end = job.end;
  const all = [['Job', job.id], ['Program', job.program], ['State', end ? outcome(end) + (end.at ? ' at ' + clock(end.at) : '') : job.state],
    ...(end && end.reason ? [['Reason', end.reason]] : []), ['Ranks', ranksOf(job)], ['Nodes', job.nodes.join(', ') || 'not placed'],
    ['Launched', clock(job.since) + ' by ' + job.launchedBy + ' at node ' + job.launchedAt],
    ['Ran for', age((end ? end.at || job.since : s.time) - job.since)],
    ...(job.modules ? [['Modules', (job.modules.join(', ') || 'not agreed yet') + (job.changes ? ', after ' + job.changes + ' changes' : '')
      + (job.tries ? '; tries ' + job.tries : '')]] : [])];
  const at = byId('job-facts');
  const key = JSON.stringify(all);
  if (at.dataset.key !== key) {
    at.dataset.key = key;
    at.replaceChildren(...all.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]));
  }
  byId('job-plans').href = '#/plans?ranks=' + job.ranks;
}

/** Keeps what the ranks of a job do at a time. */
function take(id, answer, time) {
  const known = seen.get(id) || {samples: new Map()};
  known.answer = answer;
  known.time = time;
  for (const r of answer.ranks) {
    const samples = known.samples.get(r.rank) || [];
    samples.push({time, state: answer.stuck.includes(r.rank) ? 'stuck' : r.activity});
    known.samples.set(r.rank, samples.filter(p => time - p.time <= 3600000));
  }
  seen.set(id, known);
}

function drawRanks(id, now, isRunning) {
  const known = seen.get(id);
  byId('no-ranks').hidden = Boolean(known);
  byId('ranks').hidden = !known;
  if (!known) { return; }
  const {answer} = known;
  setText(byId('ranks-when'), isRunning ? 'now' : 'when last seen, at ' + clock(known.time));
  setText(byId('verdict'), answer.stuck.length === 0 ? ''
    : (answer.stuck.length === 1 ? 'Rank ' : 'Ranks ') + answer.stuck.join(', ') + (answer.stuck.length === 1 ? ' waits' : ' wait')
      + ' for what cannot come.' + (answer.cycle.length ? ' They wait in a circle: ' + answer.cycle.join(' → ') : ''));
  const ordered = [...answer.ranks].sort((a, b) => a.rank - b.rank);
  drawLanes(known, ordered.slice(0, MOST_LANES), isRunning ? now : known.time);
  rows(byId('rank-rows'), ordered.map(r => ({key: String(r.rank), className: answer.stuck.includes(r.rank) ? 'stuck' : '', cells: [
    String(r.rank), r.node, answer.stuck.includes(r.rank) ? 'waits for ever' : r.activity, r.call || '-', r.waits.map(w => w.text).join(' or ') || '-',
    {text: r.waitedMillis ? age(r.waitedMillis) : '-'}, r.line || '-', r.unreceived.join('; ') || '-', r.windows.join('; ') || '-',
    r.files.join('; ') || '-']})));
  drawWaits(answer);
}

function drawLanes(known, ranks, now) {
  const window = window_();
  const at = byId('rank-lanes');
  const old = new Map([...at.children].map(r => [r.dataset.rank, r]));
  fill(at, ranks.map(r => old.get(String(r.rank)) || element('div', {class: 'job', 'data-rank': r.rank},
    element('span', {class: 'label'}, 'rank ' + r.rank + ' on ' + r.node), shape('svg', {class: 'lane', role: 'img'}))));
  axis(byId('rank-axis'), now, window);
  ranks.forEach((r, i) => {
    const svg = at.children[i].lastChild;
    const {x} = lane(svg, now, window);
    const samples = known.samples.get(r.rank).filter(p => now - p.time <= window);
    let from = 0;
    samples.forEach((sample, k) => {
      const next = samples[k + 1];
      const isClose = next && next.time - sample.time <= GAP_MILLIS;
      if (!isClose || next.state !== sample.state) {
        // a sample holds until the next one, or for a second
        const start = x(samples[from].time);
        svg.append(shape('rect', {class: sample.state, x: start, y: 4, width: Math.max(x(isClose ? next.time : sample.time + 1000) - start, 1), height: 14}));
        from = k + 1;
      }
    });
    svg.setAttribute('aria-label', 'rank ' + r.rank + ' is ' + r.activity);
  });
}

/** Draws an arrow from each rank that waits to those that it waits for; those of the circle are thick. */
function drawWaits(answer) {
  const waiting = answer.ranks.filter(r => r.waits.some(w => w.ranks.length > 0));
  const names = [...new Set([...waiting.map(r => r.rank), ...waiting.flatMap(r => r.waits.flatMap(w => w.ranks))])].sort((a, b) => a - b);
  byId('waits').hidden = names.length === 0;
  const picture = byId('waits-picture');
  const key = JSON.stringify([names, answer.stuck, answer.cycle, waiting.map(r => r.waits)]);
  if (names.length === 0 || picture.dataset.key === key) { return; }
  picture.dataset.key = key;
  const drawn = names.slice(0, MOST_DRAWN);
  setText(byId('waits-more'), names.length > MOST_DRAWN ? 'The first ' + MOST_DRAWN + ' of ' + names.length + ' ranks; the table has the others.' : '');
  const radius = Math.max(70, drawn.length * 11);
  const size = 2 * radius + 90;
  const place = new Map(drawn.map((rank, i) => {
    const angle = 2 * Math.PI * i / drawn.length - Math.PI / 2;
    return [rank, {x: size / 2 + radius * Math.cos(angle), y: size / 2 + radius * Math.sin(angle)}];
  }));
  const circle = new Set(answer.cycle.slice(1).map((to, i) => answer.cycle[i] + ' ' + to));
  const svg = shape('svg', {viewBox: '0 0 ' + size + ' ' + size, width: size, height: size, role: 'img', 'aria-label': 'who waits for whom'});
  for (const r of waiting) {
    for (const to of new Set(r.waits.flatMap(w => w.ranks))) {
      if (place.has(r.rank) && place.has(to)) { svg.append(...arrow(place.get(r.rank), place.get(to), circle.has(r.rank + ' ' + to))); }
    }
  }
  for (const [rank, {x, y}] of place) {
    const state = answer.stuck.includes(rank) ? 'stuck' : (answer.ranks.find(r => r.rank === rank) || {activity: 'unknown'}).activity;
    svg.append(shape('circle', {class: 'rank ' + state, cx: x, cy: y, r: 15}), shape('text', {x, y: y + 5, 'text-anchor': 'middle'}, String(rank)));
  }
  fill(picture, [svg]);
}

/** Returns a bent arrow between two circles: those of two ranks that wait for each other are apart. */
function arrow(from, to, isOfCircle) {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const bend = {x: (from.x + to.x) / 2 - dy * 0.12, y: (from.y + to.y) / 2 + dx * 0.12};
  const toward = (point, distance) => {
    const d = Math.hypot(bend.x - point.x, bend.y - point.y);
    return {x: point.x + (bend.x - point.x) / d * distance, y: point.y + (bend.y - point.y) / d * distance};
  };
  const start = toward(from, 16);
  const end = toward(to, 24);
  const tip = toward(to, 17);
  const path = 'M' + start.x + ' ' + start.y + 'Q' + bend.x + ' ' + bend.y + ' ' + end.x + ' ' + end.y;
  const head = [tip, {x: end.x - (tip.y - end.y) * 0.7, y: end.y + (tip.x - end.x) * 0.7},
    {x: end.x + (tip.y - end.y) * 0.7, y: end.y - (tip.x - end.x) * 0.7}];
  const kind = isOfCircle ? 'wait circle' : 'wait';
  return [shape('path', {class: kind, d: path}),
    shape('polygon', {class: kind, points: head.map(p => p.x + ',' + p.y).join(' ')})];
}

export function startJobs() {
  const again = () => {
    if (last) {
      showJobs(last);
      if (shown && seen.has(shown)) { drawRanks(shown, last.time, running.has(shown)); }
    }
  };
  byId('window').addEventListener('change', again);
  addEventListener('resize', again);
}
