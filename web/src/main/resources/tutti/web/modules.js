// Modules and nodes as a matrix, and changes of modules.
import {byId, element, fill, heads, lines, rows, setText} from './elements.js';
import {post, upload} from './server.js';

const NAMES = 3;
let mayChange = false;
const buttons = new Map();
const cells = new Map();

/** Shows what a role may do. */
export function showRole(session) {
  mayChange = session.role === 'change';
  byId('install').hidden = !mayChange;
  byId('no-change').hidden = mayChange;
}

const short = ids => ids.slice(0, NAMES).join(', ') + (ids.length > NAMES ? ' and ' + (ids.length - NAMES) + ' more' : '');

/** Returns what a node has of a module: a line for each version, with its digest, whether jobs on all nodes have it, and which jobs use it. */
function cell(s, name, node) {
  const here = s.modules.filter(m => m.name === name && m.nodes.includes(node));
  return here.map(m => {
    const id = m.name + ' ' + m.version;
    const users = s.jobs.filter(j => j.modules.includes(id) && j.nodes.includes(node)).map(j => j.id);
    return {version: m.version, digest: m.sha256 || '', state: m.quarantine ? 'in quarantine' : s.agreed.includes(id) ? 'agreed' : 'not agreed', users};
  });
}

function draw(key, versions) {
  let known = cells.get(key);
  const text = JSON.stringify(versions);
  if (!known || known.text !== text) {
    const node = element('div', {class: 'versions'}, ...versions.map(v => element('div', {},
      element('span', {class: 'version'}, v.version), ' ',
      element('code', {title: 'SHA-256 ' + v.digest}, v.digest.slice(0, 8) || 'no digest'), ' ',
      element('span', {class: 'tag ' + v.state.replace(/ .*/, '')}, v.state),
      ...(v.users.length ? [element('small', {title: v.users.join('\n')}, 'pinned by ' + short(v.users))] : []))));
    if (versions.length === 0) { node.append(element('span', {class: 'missing'}, 'missing')); }
    known = {text, node};
    cells.set(key, known);
  }
  return known.node;
}

export function showModules(s) {
  const nodes = s.nodes.map(n => n.name);
  heads(byId('module-head'), ['Module', ...nodes, ...(mayChange ? ['Change'] : [])]);
  const names = [...new Set(s.modules.map(m => m.name))];
  rows(byId('module-rows'), names.map(name => ({key: name, cells: [name,
    ...nodes.map(node => ({node: draw(name + '\n' + node, cell(s, name, node))})), ...(mayChange ? [{node: actions(name)}] : [])]})));
  lines(byId('left-out'), [...Object.entries(s.leftOut).map(([module, reason]) => 'Jobs on all nodes are without ' + module + ': ' + reason),
    ...s.modules.filter(m => m.quarantine).map(m => 'In quarantine: ' + m.name + ' ' + m.version + ': ' + m.quarantine)]);
}

function actions(name) {
  let made = buttons.get(name);
  if (!made) {
    const button = (label, path, question) => element('button', {type: 'button', 'aria-label': label + ' ' + name,
      click: () => confirmed(question, () => post(path, {module: name, force: false}))}, label);
    made = element('div', {class: 'actions'},
      button('Roll back', '/api/modules/rollback', 'Restore the version of ' + name + ' from before the last change, on all nodes?'),
      button('Uninstall', '/api/modules/uninstall', 'Remove ' + name + ' from all nodes, once no job uses it?'));
    buttons.set(name, made);
  }
  return made;
}

/** Asks, changes, and says what was done or why not. */
async function confirmed(question, change) {
  const dialog = byId('ask');
  setText(byId('question'), question);
  dialog.returnValue = '';
  dialog.showModal();
  await new Promise(done => dialog.addEventListener('close', done, {once: true}));
  if (dialog.returnValue !== 'yes') { return; }
  const result = byId('changed');
  result.classList.remove('bad');
  setText(result, 'The nodes change...');
  try {
    setText(result, (await change()).text || 'Done.');
  } catch (e) {
    result.classList.add('bad');
    setText(result, e.message);
  }
}

export function startModules() {
  byId('install').addEventListener('submit', e => {
    e.preventDefault();
    const [file] = byId('bundle').files;
    const kind = byId('kind').value;
    const query = new URLSearchParams({file: file.name, verify: byId('verify').checked});
    confirmed((kind === 'install' ? 'Install ' : 'Replace all versions by ') + file.name + ' on all nodes?',
      () => upload('/api/modules/' + kind + '?' + query, file));
  });
  fill(byId('kind'), [element('option', {value: 'install'}, 'Install'), element('option', {value: 'update'}, 'Update: removes its other versions')]);
}
