// What the single executable begins with: runs the program from its assets, with the code that V8 has compiled before.
const { getRawAsset } = require('node:sea');
const { Script } = require('node:vm');

// The bundle is ASCII. As one-byte text it takes half the memory and no decoding.
const source = Buffer.from(getRawAsset('perennial.cjs')).latin1Slice();
const cachedData = Buffer.from(getRawAsset('perennial.cache'));
const script = new Script(source, { filename: 'perennial.cjs', cachedData });
script.runInThisContext()(require, module, exports);
