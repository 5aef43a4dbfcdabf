// Imported before the scripts, which take these globals once: theirs call the current ones, which tests may replace.
const own = ["fetch", "setTimeout"].map(name => [name, globalThis[name]]);
for (const [name] of own) globalThis[name] = (...values) => globalThis[name](...values);

/** Called when the scripts have been imported. */
export const restore = () => own.forEach(([name, value]) => { globalThis[name] = value; });
