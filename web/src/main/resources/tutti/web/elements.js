// Elements of the page. Text reaches the document through textContent alone.

const SVG = 'http://www.w3.org/2000/svg';

export const byId = id => document.getElementById(id);

/** Returns a new element with attributes; a property that is a function listens to the event of its name. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      made.addEventListener(key, value);
    } else if (value !== null && value !== undefined && value !== false) {
      made.setAttribute(key, value === true ? '' : value);
    }
  }
  made.append(...children);
  return made;
}

export function shape(name, attributes = {}, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) { made.setAttribute(key, value); }
  if (text !== undefined) { made.textContent = text; }
  return made;
}

/** Returns a picture that a node has drawn. */
export const picture = svg => document.importNode(new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement, true);

/** Sets the children of an element unless they are these, so that what a reader has selected or focused stays. */
export function fill(parent, children) {
  if (parent.childNodes.length !== children.length || children.some((c, i) => parent.childNodes[i] !== c)) {
    parent.replaceChildren(...children);
  }
}

export function setText(at, text) {
  if (at.textContent !== text) { at.textContent = text; }
}

/** Sets the lines of a list. */
export function lines(at, texts) {
  const key = texts.join('\n');
  if (at.dataset.lines !== key) {
    at.dataset.lines = key;
    at.replaceChildren(...texts.map(t => element('li', {}, t)));
  }
}

/** Updates the rows of a table in place. A cell is a text, or {text, small, className, title}, or {node}. */
export function rows(body, wanted) {
  const old = new Map([...body.children].map(r => [r.dataset.key, r]));
  fill(body, wanted.map(({key, className, cells}) => {
    let row = old.get(key);
    if (!row || row.children.length !== cells.length) {
      row = element('tr', {'data-key': key}, ...cells.map((c, i) => i === 0 ? element('th', {scope: 'row'}) : element('td')));
    }
    row.className = className || '';
    cells.forEach((cell, i) => update(row.children[i], typeof cell === 'string' ? {text: cell} : cell));
    return row;
  }));
}

function update(at, cell) {
  at.className = cell.className || '';
  if (cell.title) { at.title = cell.title; }
  if (cell.node) {
    fill(at, [cell.node]);
  } else if (cell.small) {
    if (at.children.length !== 1 || at.childNodes.length !== 2) { at.replaceChildren(document.createTextNode(''), element('small')); }
    if (at.firstChild.data !== cell.text + ' ') { at.firstChild.data = cell.text + ' '; }
    setText(at.lastChild, cell.small);
  } else {
    setText(at, cell.text);
  }
}

/** Sets the heads of the columns of a table. */
export function heads(at, names) {
  const key = names.join('\n');
  if (at.dataset.names !== key) {
    at.dataset.names = key;
    at.replaceChildren(element('tr', {}, ...names.map(n => element('th', {scope: 'col'}, n))));
  }
}

export const plural = (count, word) => count + ' ' + word + (count === 1 ? '' : 's');

/** Returns a number with three digits and a prefix: of units of 1024 for bytes, of 1000 for others. */
function scaled(count, base, units) {
  let value = count;
  let unit = 0;
  while (value >= base && unit < units.length - 1) { value /= base; unit++; }
  return (value >= 100 || Number.isInteger(value) ? Math.round(value) : value.toFixed(1)) + units[unit];
}

export const bytes = count => scaled(count, 1024, [' B', ' KiB', ' MiB', ' GiB', ' TiB']);
export const number = count => scaled(count, 1000, ['', ' k', ' M', ' G']);

export function age(millis) {
  const seconds = Math.max(0, Math.floor(millis / 1000));
  if (seconds < 60) { return seconds + ' s'; }
  if (seconds < 3600) { return Math.floor(seconds / 60) + ' min ' + seconds % 60 + ' s'; }
  return Math.floor(seconds / 3600) + ' h ' + Math.floor(seconds % 3600 / 60) + ' min';
}

export const clock = time => new Date(time).toLocaleTimeString([], {hour12: false});

/** Ticks of a time axis. Clears a lane and draws them; returns its width and the function from a time to its place. */
export function lane(svg, now, window) {
  const width = Math.max(svg.clientWidth, 1);
  const x = time => Math.max(0, width - (now - time) / window * width);
  const tick = window / 8;
  svg.replaceChildren();
  for (let t = now - now % tick; t > now - window; t -= tick) {
    svg.append(shape('line', {class: 'tick', x1: x(t), x2: x(t), y1: 0, y2: '100%'}));
  }
  return {width, x, tick};
}

/** Draws the times of the ticks. */
export function axis(svg, now, window) {
  const {width, x, tick} = lane(svg, now, window);
  for (let t = now - now % tick; t > now - window + tick / 2; t -= tick) {
    svg.append(shape('text', {x: Math.min(x(t), width - 4), y: 18, 'text-anchor': x(t) > width - 40 ? 'end' : 'middle'}, clock(t)));
  }
}
