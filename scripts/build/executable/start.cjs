// Start script of the single executable: runs the program from its assets, with V8's cached code.
const { getRawAsset } = require('node:sea');
const { Script } = require('node:vm');

// The bundle is ASCII: as one-byte text it takes half the memory and no decoding.
const source = Buffer.from(getRawAsset('perennial.cjs')).latin1Slice();
const cachedData = Buffer.from(getRawAsset('perennial.cache'));
const script = new Script(source, { filename: 'perennial.cjs', cachedData });
script.runInThisContext()(require, module, exports);
