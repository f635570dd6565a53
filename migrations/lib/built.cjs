const { pathToFileURL } = require('node:url');
const path = require('node:path');

/** Loads a file of the built program, such as `errors.js`: what sequelize-cli runs has no other way to it. */
module.exports.built = (file) => import(pathToFileURL(path.join(__dirname, '..', '..', 'dist', file)).href);
