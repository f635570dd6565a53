/** Settings for sequelize-cli from the same environment and `.env` file as `coursectl`, through the built program. */
const { pathToFileURL } = require('node:url');
const path = require('node:path');

const built = (file) => import(pathToFileURL(path.join(__dirname, '..', '..', 'dist', file)).href);

module.exports = async () => {
  const { loadConfig } = await built('config/config.js');
  const { sequelizeOptions } = await built('db/connection.js');
  // A step may take long, on a large table or while others use it.
  return sequelizeOptions(loadConfig().database, { inactivityMs: 0 });
};
