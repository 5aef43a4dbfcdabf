/** Decoders that run at the same time. The limit becomes 1 when the memory has not sufficed for several images. */
export const turns = { limit: 4, busy: 0, waiting: [] };

async function takeTurn() {
  if (turns.busy >= turns.limit) await new Promise(go => turns.waiting.push(go));
  else turns.busy += 1;
}

function endTurn() {
  if (turns.waiting.length && turns.busy <= turns.limit) turns.waiting.shift()();
  else turns.busy -= 1;
}

/** Calls back when fewer than `turns.limit` others are decoding. */
export async function inTurn(use) {
  await takeTurn();
  try {
    return await use();
  } finally {
    endTurn();
  }
}

/** Waits for the network within a turn. After three seconds, the turn is yielded until the promise is settled. */
export async function patiently(promise) {
  let hasYielded = false;
  const timer = setTimeout(() => {
    hasYielded = true;
    endTurn();
  }, 3000);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    if (hasYielded) await takeTurn();
  }
}
