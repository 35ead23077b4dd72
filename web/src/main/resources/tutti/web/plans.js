// The schedule of a call, and the decision behind it.
import {byId, element, fill, picture, plural, setText} from './elements.js';
import {get, post} from './server.js';

const UNITS = {'': 1, K: 1 << 10, M: 1 << 20, G: 1 << 30};
let operations = [];

/** Returns the bytes of a size as the commands take it: 8, 64K, 1M. */
function size(text) {
  const found = /^(\d{1,12})([KMG]?)$/i.exec(text.trim());
  if (!found) { throw new Error('not a size: ' + text + ', expected 8, 64K, 1M or 2G'); }
  return Number(found[1]) * UNITS[found[2].toUpperCase()];
}

/** Sets the number of ranks, for the link of a job. */
export function showPlans(ranks) {
  if (ranks) { byId('plan-ranks').value = ranks; }
}

function showRoot() {
  const chosen = operations.find(o => o.name === byId('operation').value);
  byId('plan-root').disabled = !chosen || !chosen.isRooted;
}

async function draw(e) {
  e.preventDefault();
  const result = byId('plan-result');
  const rooted = !byId('plan-root').disabled;
  byId('draw').disabled = true;
  result.classList.remove('bad');
  setText(result, 'The nodes plan the call...');
  try {
    const plan = await post('/api/plans', {operation: byId('operation').value, bytes: size(byId('plan-bytes').value),
      ranks: Number(byId('plan-ranks').value), root: rooted ? Number(byId('plan-root').value) : 0, lanes: byId('plan-lanes').checked});
    setText(result, plan.module + ', algorithm ' + plan.algorithm + ', ' + plural(plan.tasks, 'task') + ' on all ranks');
    setText(byId('decision'), plan.decision);
    fill(byId('picture'), [picture(plan.svg)]);
    byId('plan').hidden = false;
  } catch (failure) {
    result.classList.add('bad');
    setText(result, failure.message);
  } finally {
    byId('draw').disabled = false;
  }
}

export async function startPlans(session) {
  const mayRun = session.role !== 'observe';
  byId('no-run').hidden = mayRun;
  byId('plan-form').hidden = !mayRun;
  operations = (await get('/api/operations')).filter(o => o.isPlanned);
  fill(byId('operation'), operations.map(o => element('option', {selected: o.name === 'allreduce'}, o.name)));
  byId('operation').addEventListener('change', showRoot);
  byId('plan-form').addEventListener('submit', draw);
  showRoot();
}
