// Shows the snapshots of the cluster in the view that the address names: #/, #/jobs/ID or #/plans.
import {byId, plural, setText} from './elements.js';
import {showFigures, showNodes} from './cluster.js';
import {chooseJob, showJob, showJobs, startJobs, takeJobs} from './jobs.js';
import {startMeasurements} from './measurements.js';
import {showModules, showRole, startModules} from './modules.js';
import {showPlans, startPlans} from './plans.js';
import {get, listen} from './server.js';

const VIEWS = ['overview', 'job', 'plans'];
let last = null;
let isStarted = false;

/** Returns the view that the address names, the job, and the number of ranks. */
function address() {
  const job = /^#\/jobs\/([^?]+)/.exec(location.hash);
  if (job) { return {view: 'job', job: decodeURIComponent(job[1])}; }
  const plans = /^#\/plans(?:\?ranks=(\d+))?$/.exec(location.hash);
  return plans ? {view: 'plans', ranks: plans[1]} : {view: 'overview'};
}

function route() {
  const {view, job, ranks} = address();
  VIEWS.forEach(v => { byId(v).hidden = v !== view; });
  for (const link of document.querySelectorAll('nav a')) {
    if (link.dataset.view === view) { link.setAttribute('aria-current', 'page'); } else { link.removeAttribute('aria-current'); }
  }
  chooseJob(view === 'job' ? job : null);
  if (view === 'plans') { showPlans(ranks); }
  if (last) { draw(last); }
}

function draw(s) {
  showJob(s);
  showJobs(s);
  showNodes(s);
  showFigures(s);
  showModules(s);
}

async function show(s) {
  if (!isStarted) {
    isStarted = true;
    const session = await get('/api/session');
    showRole(session);
    setText(byId('role'), 'role ' + session.role);
    await startPlans(session);
  }
  last = s;
  const ranks = s.nodes.reduce((sum, n) => sum + n.ranks, 0);
  const parts = [plural(s.nodes.length, 'node'), plural(s.jobs.length, 'job'), plural(ranks, 'rank'),
    ...(s.lost.length ? [plural(s.lost.length, 'lost node')] : [])];
  setText(byId('summary'), 'Seen by node ' + s.node + ': ' + parts.join(', '));
  document.title = 'Tutti: ' + parts.join(', ');
  await takeJobs(s);
  draw(s);
}

function state(text, isLost) {
  setText(byId('state'), text);
  byId('state').classList.toggle('bad', isLost);
}

byId('yes').addEventListener('click', () => byId('ask').close('yes'));
byId('no').addEventListener('click', () => byId('ask').close('no'));
addEventListener('hashchange', route);
startJobs();
startMeasurements();
startModules();
route();
listen(s => show(s).catch(e => state(e.message, true)), state);
