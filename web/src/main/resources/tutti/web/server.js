// Requests to the node. The token comes with the address of the page, stays in this tab, and is sent in a header.

const KEY = 'tutti.token';
const AGAIN_MILLIS = 2000;

const given = /^#token=([0-9a-f]+)$/.exec(location.hash);
if (given) {
  sessionStorage.setItem(KEY, given[1]);
  history.replaceState(null, '', '/#/');
}

const headers = more => ({Authorization: 'Bearer ' + (sessionStorage.getItem(KEY) || ''), ...more});

/** Sends a request; returns the answer. Throws an error with the line that says why it was refused. */
async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (e) {
    throw new Error('the node does not answer', {cause: e});
  }
  if (!answer.ok) { throw new Error((await answer.text()).trim()); }
  return answer;
}

const send = async (path, options) => (await ask(path, options)).json();

export const get = path => send(path, {headers: headers()});

export const text = async path => (await ask(path, {headers: headers()})).text();

/** Has the browser store an answer as a file. */
export async function download(path, name) {
  const url = URL.createObjectURL(await (await ask(path, {headers: headers()})).blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

export const post = (path, value) =>
  send(path, {method: 'POST', headers: headers({'Content-Type': 'application/json'}), body: JSON.stringify(value)});

export const upload = (path, file) =>
  send(path, {method: 'POST', headers: headers({'Content-Type': 'application/java-archive'}), body: file});

/** Listens to the snapshots of the cluster, for ever. */
export async function listen(onSnapshot, onState) {
  for (;;) {
    try {
      const answer = await fetch('/events', {headers: headers()});
      if (answer.status === 401) {
        onState('no access: open the address that tutti page prints', true);
        return;
      }
      if (answer.ok) {
        onState('live', false);
        await read(answer.body.pipeThrough(new TextDecoderStream()).getReader(), onSnapshot);
      }
    } catch (e) {
      console.debug('events ended', e);
    }
    onState('the node does not answer', true);
    await new Promise(done => setTimeout(done, AGAIN_MILLIS));
  }
}

async function read(reader, onSnapshot) {
  let text = '';
  for (;;) {
    const {value, done} = await reader.read();
    if (done) { return; }
    text += value;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = text.slice(0, end).split('\n').filter(l => l.startsWith('data: ')).map(l => l.slice(6)).join('\n');
      text = text.slice(end + 2);
      onSnapshot(JSON.parse(data));
    }
  }
}
