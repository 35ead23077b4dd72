// Nodes, and their figures over time.
import {age, byId, bytes, heads, lines, number, rows, setText, shape} from './elements.js';

const WINDOW = 600000;
const LEAST_WINDOW = 60000;
const WIDTH = 150;
const HEIGHT = 44;

const calls = n => n.schedules.hits + n.schedules.plans;

/** Figures: what is drawn of a node, given the sample before and the seconds between. */
const FIGURES = [
  {name: 'Heap used', format: bytes, least: 1, value: n => n.heapUsed},
  {name: 'Collective calls per second', format: number, least: 10, value: (n, old, seconds) => (calls(n) - calls(old)) / seconds},
  {name: 'Messages received per second', format: number, least: 10, value: (n, old, seconds) => (n.messages.received - old.messages.received) / seconds},
  {name: 'Bytes received per second', format: bytes, least: 1024,
    value: (n, old, seconds) => (n.messages.receivedBytes - old.messages.receivedBytes) / seconds},
  {name: 'Bytes sent to other nodes per second', format: bytes, least: 1024, value: (n, old, seconds) => (n.messages.sentBytes - old.messages.sentBytes) / seconds},
  {name: 'Schedules cached', format: number, least: 10, value: n => n.schedules.entries},
  {name: 'Calls without a cached schedule per second', format: number, least: 1,
    value: (n, old, seconds) => (n.schedules.plans - old.schedules.plans) / seconds}];

const known = new Map();

function share(schedules) {
  const all = schedules.hits + schedules.plans;
  return all === 0 ? '-' : (100 * schedules.hits / all).toFixed(1) + ' %';
}

export function showNodes(s) {
  const now = s.time;
  const all = s.nodes.map(n => ({key: n.name, cells: [
    {text: n.name, small: n.address}, s.warnings[n.name] ? {text: 'warning', className: 'bad'} : 'up',
    {text: n.ranks + ' / ' + n.cores}, {text: bytes(n.heapUsed), small: 'of ' + bytes(n.heapMax)},
    {text: share(n.schedules), small: number(n.schedules.plans) + ' planned'},
    {text: String(n.schedules.evictions)},
    {text: String(n.proofs.proved), small: n.proofs.wrong ? n.proofs.wrong + ' wrong' : ''},
    {text: n.transports.join(', '), small: Object.entries(n.near).map(([t, nodes]) => t + (nodes.length ? ' with ' + nodes.join(', ') : ' within the node')).join('; ')},
    {text: n.version, small: 'Java ' + n.java}, age(now - n.since)]}));
  s.lost.forEach(n => all.push({key: 'lost ' + n.name, className: 'lost', cells: [
    {text: n.name, small: n.address}, 'lost ' + age(now - n.time) + ' ago: ' + n.reason, '', '', '', '', '', '', '', '']}));
  all.sort((a, b) => a.key.replace(/^lost /, '').localeCompare(b.key.replace(/^lost /, '')));
  rows(byId('node-rows'), all);
  lines(byId('warnings'), Object.entries(s.warnings).flatMap(([node, texts]) => texts.map(t => 'Node ' + node + ': ' + t)));
}

export function showFigures(s) {
  heads(byId('figure-head'), ['Node', ...FIGURES.map(f => f.name)]);
  for (const n of s.nodes) { sample(n, s.time); }
  rows(byId('figure-rows'), s.nodes.map(n => ({key: n.name, cells: [n.name, ...known.get(n.name).charts.map(c => ({node: c.draw(s.time)}))]})));
}

/** Takes a sample of a node; one that was started anew begins with nothing. */
function sample(n, time) {
  let node = known.get(n.name);
  if (!node || node.last.since !== n.since) {
    node = {charts: FIGURES.map(f => new Chart(n.name, f))};
    known.set(n.name, node);
  }
  const seconds = node.last ? Math.max((time - node.time) / 1000, 0.001) : 1;
  if (node.time !== time) {
    node.charts.forEach((chart, i) => chart.add(time, FIGURES[i].value(n, node.last || n, seconds)));
  }
  node.last = n;
  node.time = time;
}

/** A line over the time since the page was opened, ten minutes at the most, with its greatest value and the one of now. */
class Chart {
  constructor(node, figure) {
    this.node = node;
    this.figure = figure;
    this.points = [];
    this.svg = shape('svg', {class: 'chart', viewBox: '0 0 ' + WIDTH + ' ' + HEIGHT, role: 'img'});
    this.line = shape('path');
    this.top = shape('text', {x: 0, y: 10});
    this.now = shape('text', {x: WIDTH, y: 10, 'text-anchor': 'end', class: 'now'});
    this.svg.append(shape('line', {x1: 0, y1: HEIGHT - 0.5, x2: WIDTH, y2: HEIGHT - 0.5}), shape('line', {x1: 0, y1: 14, x2: WIDTH, y2: 14}),
      this.line, this.top, this.now);
  }

  add(time, value) {
    this.points.push({time, value: Math.max(0, value)});
    this.points = this.points.filter(p => time - p.time <= WINDOW);
  }

  draw(now) {
    const most = Math.max(this.figure.least, ...this.points.map(p => p.value));
    const y = value => (HEIGHT - 1 - value / most * (HEIGHT - 15)).toFixed(1);
    const window = Math.min(WINDOW, Math.max(LEAST_WINDOW, now - this.points[0].time));
    const path = this.points.map(p => (WIDTH - (now - p.time) / window * WIDTH).toFixed(1) + ' ' + y(p.value));
    this.line.setAttribute('d', path.length > 1 ? 'M' + path.join('L') : '');
    const value = this.figure.format(this.points.at(-1).value);
    setText(this.top, 'max ' + this.figure.format(Math.max(...this.points.map(p => p.value))));
    setText(this.now, value);
    this.svg.setAttribute('aria-label', this.figure.name + ' of node ' + this.node + ', now ' + value);
    return this.svg;
  }
}
