'use strict';
// Shows the snapshots of /events. Text reaches the document through textContent alone.

const WINDOW = 120000;
const TICK = 15000;
const KEEP_ENDED = 20;
const SVG = 'http://www.w3.org/2000/svg';

const byId = id => document.getElementById(id);
const heap = new Map();
const jobs = new Map();
let chosen = null;
let lanes = new Map();
let asking = false;
let last = null;
let offset = 0;

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) { made.className = className; }
  if (text !== undefined) { made.textContent = text; }
  return made;
}

function shape(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) { made.setAttribute(key, value); }
  if (text !== undefined) { made.textContent = text; }
  return made;
}

/** Sets the children of an element unless they are these. */
function fill(parent, children) {
  if (parent.childNodes.length !== children.length || children.some((c, i) => parent.childNodes[i] !== c)) {
    parent.replaceChildren(...children);
  }
}

function setText(at, text) {
  if (at.textContent !== text) { at.textContent = text; }
}

function bytes(count) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let scaled = count;
  while (scaled >= 1024 && unit < units.length - 1) { scaled /= 1024; unit++; }
  return (scaled >= 100 || unit === 0 ? Math.round(scaled) : scaled.toFixed(1)) + ' ' + units[unit];
}

function age(millis) {
  const seconds = Math.max(0, Math.floor(millis / 1000));
  if (seconds < 60) { return seconds + ' s'; }
  if (seconds < 3600) { return Math.floor(seconds / 60) + ' min ' + seconds % 60 + ' s'; }
  return Math.floor(seconds / 3600) + ' h ' + Math.floor(seconds % 3600 / 60) + ' min';
}

const plural = (count, word) => count + ' ' + word + (count === 1 ? '' : 's');

/** Updates the rows of a table in place, so that what a reader has selected stays. A cell is a text, or {text, small, className, node}. */
function rows(body, wanted) {
  const old = new Map([...body.children].map(r => [r.dataset.key, r]));
  fill(body, wanted.map(({key, className, cells}) => {
    let row = old.get(key);
    if (!row || row.children.length !== cells.length) {
      row = element('tr');
      row.dataset.key = key;
      cells.forEach((c, i) => row.append(i === 0 ? Object.assign(element('th'), {scope: 'row'}) : element('td')));
    }
    row.className = className || '';
    cells.forEach((cell, i) => {
      const at = row.children[i];
      const value = typeof cell === 'string' ? {text: cell} : cell;
      at.className = value.className || '';
      if (value.title) { at.title = value.title; }
      if (value.node) {
        fill(at, [value.node]);
      } else if (value.small) {
        if (at.children.length !== 1) { at.replaceChildren(document.createTextNode(''), element('small')); }
        if (at.firstChild.data !== value.text + ' ') { at.firstChild.data = value.text + ' '; }
        setText(at.lastChild, value.small);
      } else {
        setText(at, value.text);
      }
    });
    return row;
  }));
}

function list(at, lines) {
  if (at.dataset.lines !== lines.join('\n')) {
    at.dataset.lines = lines.join('\n');
    at.replaceChildren(...lines.map(l => element('li', '', l)));
  }
}

function spark(history, now) {
  let {svg} = history;
  if (!svg) {
    svg = history.svg = shape('svg', {class: 'spark', viewBox: '0 0 180 28', role: 'img'});
    svg.append(shape('line', {x1: 0, y1: 27.5, x2: 180, y2: 27.5}), shape('path', {}));
  }
  const points = history.points.map(p => (180 - (now - p.time) / WINDOW * 180).toFixed(1) + ' ' + (27 - p.used / history.max * 25).toFixed(1));
  svg.lastChild.setAttribute('d', points.length ? 'M' + points.join('L') : '');
  svg.setAttribute('aria-label', 'heap of the last two minutes, now ' + bytes(history.points.at(-1).used));
  return svg;
}

function showNodes(s) {
  const now = s.time;
  for (const n of s.nodes) {
    const known = heap.get(n.name) || {points: []};
    known.max = Math.max(n.heapMax, 1);
    known.points.push({time: now, used: n.heapUsed});
    known.points = known.points.filter(p => now - p.time <= WINDOW);
    heap.set(n.name, known);
  }
  const all = s.nodes.map(n => ({key: n.name, cells: [
    {text: n.name, small: n.address}, s.warnings[n.name] ? 'warning' : 'up',
    {text: n.ranks + ' / ' + n.cores, className: 'num'}, {text: bytes(n.heapUsed), small: 'of ' + bytes(n.heapMax), className: 'num'},
    {node: spark(heap.get(n.name), now)},
    {text: String(n.schedules.entries), small: bytes(n.schedules.scratchBytes) + ' scratch', className: 'num'},
    {text: share(n.schedules), className: 'num'}, {text: String(n.schedules.plans), className: 'num'},
    {text: String(n.schedules.evictions), className: 'num'},
    {text: String(n.proofs.proved), small: n.proofs.wrong ? n.proofs.wrong + ' wrong' : '', className: 'num'}, age(now - n.since)]}));
  s.lost.forEach(n => all.push({key: 'lost ' + n.name, className: 'lost', cells: [
    {text: n.name, small: n.address}, 'lost ' + age(now - n.time) + ' ago: ' + n.reason, '', '', '', '', '', '', '', '', '']}));
  all.sort((a, b) => a.key.replace(/^lost /, '').localeCompare(b.key.replace(/^lost /, '')));
  rows(byId('node-rows'), all);
  list(byId('warnings'), Object.entries(s.warnings).flatMap(([node, lines]) => lines.map(l => 'Node ' + node + ': ' + l)));
}

function share(schedules) {
  const calls = schedules.hits + schedules.plans;
  return calls === 0 ? '-' : (100 * schedules.hits / calls).toFixed(1) + ' %';
}

function showModules(s) {
  const nodes = s.nodes.map(n => n.name);
  const head = ['Module', ...nodes, 'Agreed', 'Used by'];
  if (byId('module-head').dataset.key !== head.join('\n')) {
    byId('module-head').dataset.key = head.join('\n');
    const row = element('tr');
    head.forEach(h => row.append(Object.assign(element('th', '', h), {scope: 'col'})));
    byId('module-head').replaceChildren(row);
  }
  const names = [...new Set(s.modules.map(m => m.name))];
  rows(byId('module-rows'), names.map(name => {
    const versions = s.modules.filter(m => m.name === name);
    const agreed = s.agreed.filter(a => a.startsWith(name + ' ')).map(a => a.slice(name.length + 1));
    const users = s.jobs.filter(j => j.modules.some(m => m.startsWith(name + ' '))).map(j => j.id);
    return {key: name, cells: [name, ...nodes.map(node => {
      const here = versions.filter(m => m.nodes.includes(node));
      if (here.length === 0) { return {text: 'missing', className: 'missing'}; }
      return {text: here.map(m => m.version).join(', '), small: here.map(m => (m.sha256 || '?').slice(0, 8)).join(', '),
        title: here.map(m => 'SHA-256 ' + m.sha256).join('\n'), className: versions.length > 1 ? 'differs' : ''};
    }), agreed.length ? agreed.join(', ') : {text: 'no', className: 'differs'}, users.join(', ') || '-']};
  }));
  list(byId('left-out'), [...Object.entries(s.leftOut).map(([module, reason]) => 'Jobs on all nodes are without ' + module + ': ' + reason),
    ...s.modules.filter(m => m.quarantine).map(m => 'In quarantine: ' + m.name + ' ' + m.version + ': ' + m.quarantine)]);
}

/** Draws what a lane shares with the axis: the ticks. Returns the width and the function from a time to its place. */
function lane(svg, now) {
  const width = Math.max(svg.clientWidth, 1);
  const x = time => Math.max(0, width - (now - time) / WINDOW * width);
  svg.replaceChildren();
  for (let t = now - now % TICK; t > now - WINDOW; t -= TICK) {
    svg.append(shape('line', {class: 'tick', x1: x(t), x2: x(t), y1: 0, y2: '100%'}));
  }
  return {width, x};
}

function showJobs(s) {
  const now = s.time;
  const present = new Set(s.jobs.map(j => j.id));
  s.jobs.forEach(j => jobs.set(j.id, Object.assign(jobs.get(j.id) || {}, {job: j, end: null})));
  for (const [id, known] of jobs) {
    if (!present.has(id)) { known.end = known.end || now; }
    if (known.end && now - known.end > WINDOW) { jobs.delete(id); }
  }
  const ended = [...jobs.values()].filter(k => k.end).sort((a, b) => b.end - a.end);
  ended.slice(KEEP_ENDED).forEach(k => jobs.delete(k.job.id));
  const all = [...jobs.values()].sort((a, b) => (a.end ? 1 : 0) - (b.end ? 1 : 0) || b.job.since - a.job.since);
  byId('gantt').hidden = all.length === 0;
  byId('no-jobs').hidden = all.length > 0;
  all.forEach(known => {
    if (!known.row) {
      known.row = element('div', 'job');
      known.button = element('button', 'label');
      known.button.type = 'button';
      known.button.setAttribute('aria-controls', 'ranks');
      known.button.addEventListener('click', () => choose(chosen === known.job.id ? null : known.job.id));
      known.title = document.createTextNode('');
      known.small = element('small');
      known.button.append(known.title, known.small);
      known.svg = shape('svg', {class: 'lane', role: 'img'});
      known.row.append(known.button, known.svg);
    }
  });
  fill(byId('job-rows'), all.map(k => k.row));
  const axis = lane(byId('axis'), now);
  for (let t = now - now % TICK; t > now - WINDOW + TICK / 2; t -= TICK) {
    const at = axis.x(t);
    byId('axis').append(shape('text', {x: Math.min(at, axis.width - 4), y: 18, 'text-anchor': at > axis.width - 40 ? 'end' : 'middle'},
      new Date(t).toLocaleTimeString([], {hour12: false})));
  }
  all.forEach(known => {
    const {job, end} = known;
    const state = end ? 'over' : job.state;
    const title = job.program.replace(/^.*\//, '') + '  ' + plural(job.ranks, 'rank');
    if (known.title.data !== title) { known.title.data = title; }
    setText(known.small, job.id + ', ' + (end ? 'ended' : job.state) + (job.nodes.length ? ', on ' + job.nodes.join(', ') : '') + ', by ' + job.launchedBy);
    known.button.setAttribute('aria-expanded', String(chosen === job.id));
    known.button.disabled = false;
    const {width, x} = lane(known.svg, now);
    const from = x(job.since);
    const to = x(end || now);
    const ran = age((end || now) - job.since);
    known.svg.append(shape('rect', {class: 'bar ' + state, x: from, y: 12, width: Math.max(to - from, 2), height: 18, rx: 2}));
    const isRight = from > width / 2;
    known.svg.append(shape('text', {class: 'on', x: isRight ? from - 6 : Math.min(to + 6, width - 70), y: 26, 'text-anchor': isRight ? 'end' : 'start'},
      to + 76 > width && !isRight ? '' : ran));
    known.svg.setAttribute('aria-label', 'job ' + job.id + ', ' + (end ? 'ended' : job.state) + ', ran for ' + ran);
    known.button.title = 'ran for ' + ran;
  });
  if (chosen && !jobs.has(chosen)) { choose(null); }
}

function choose(id) {
  chosen = id;
  lanes = new Map();
  byId('rank-rows').replaceChildren();
  setText(byId('rank-text'), '');
  byId('ranks').hidden = id === null;
  if (id) { setText(byId('ranks-title'), 'Ranks of job ' + id); }
  if (last) { showJobs(last); }
  askRanks();
}

function stateOf(text) {
  if (text.startsWith('waits')) { return 'waits'; }
  if (text.startsWith('computes') || text.startsWith('is in')) { return 'computes'; }
  if (text.startsWith('starts')) { return 'starts'; }
  return text.startsWith('has ') ? 'ended' : 'unknown';
}

async function askRanks() {
  const id = chosen;
  if (!id || asking || !jobs.get(id) || jobs.get(id).end) {
    drawRanks();
    return;
  }
  asking = true;
  try {
    const answer = await fetch('/api/jobs/' + encodeURIComponent(id) + '/ranks');
    const text = await answer.text();
    if (id === chosen && answer.ok) {
      setText(byId('rank-text'), text);
      const time = Date.now() + offset;
      for (const line of text.split('\n')) {
        const found = /^rank (\d+) on node ([^\s:]+):? (.*)$/.exec(line);
        if (found) {
          const rank = lanes.get(found[1]) || {node: found[2], samples: []};
          rank.text = found[3];
          rank.samples.push({time, state: stateOf(found[3])});
          rank.samples = rank.samples.filter(p => time - p.time <= WINDOW);
          lanes.set(found[1], rank);
        }
      }
    }
  } catch (e) {
    // the state of the page says that the node does not answer
  } finally {
    asking = false;
    drawRanks();
  }
}

function drawRanks() {
  if (!last) { return; }
  const now = last.time;
  const order = [...lanes.entries()].sort((a, b) => a[0] - b[0]);
  order.forEach(([number, rank]) => {
    if (!rank.row) {
      rank.row = element('div', 'job');
      rank.svg = shape('svg', {class: 'lane', role: 'img'});
      rank.row.append(element('span', 'label', 'rank ' + number + ' on ' + rank.node), rank.svg);
    }
  });
  fill(byId('rank-rows'), order.map(([, rank]) => rank.row));
  order.forEach(([number, rank]) => {
    const {x} = lane(rank.svg, now);
    let from = 0;
    rank.samples.forEach((sample, i) => {
      const next = rank.samples[i + 1];
      if (!next || next.state !== sample.state || next.time - sample.time > 4000) {
        // a sample holds until the next one, or for a second
        const until = next && next.time - sample.time <= 4000 ? next.time : sample.time + 1000;
        const start = x(rank.samples[from].time);
        rank.svg.append(shape('rect', {class: sample.state, x: start, y: 5, width: Math.max(x(until) - start, 1), height: 12}));
        from = i + 1;
      }
    });
    rank.svg.setAttribute('aria-label', 'rank ' + number + ' ' + rank.text);
  });
}

function show(s) {
  last = s;
  offset = s.time - Date.now();
  const ranks = s.nodes.reduce((sum, n) => sum + n.ranks, 0);
  setText(byId('summary'), 'Seen by node ' + s.node + ': ' + [plural(s.nodes.length, 'node'), plural(s.jobs.length, 'job'), plural(ranks, 'rank'),
    ...(s.lost.length ? [plural(s.lost.length, 'lost node')] : [])].join(', '));
  document.title = 'Tutti: ' + plural(s.nodes.length, 'node') + ', ' + plural(s.jobs.length, 'job') + (s.lost.length ? ', ' + s.lost.length + ' lost' : '');
  showJobs(s);
  askRanks();
  showNodes(s);
  showModules(s);
}

function state(text, isLost) {
  setText(byId('state'), text);
  byId('state').classList.toggle('lost', isLost);
}

// the token is a cookie now: it does not stay in the address
history.replaceState(null, '', '/');
const events = new EventSource('/events');
events.addEventListener('open', () => state('live', false));
events.addEventListener('snapshot', e => show(JSON.parse(e.data)));
events.addEventListener('error', () => state(events.readyState === EventSource.CLOSED
  ? 'no access: open the address that tutti page prints' : 'the node does not answer', true));
addEventListener('resize', () => { if (last) { showJobs(last); drawRanks(); } });
