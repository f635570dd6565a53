/** Settings for sequelize-cli from the same environment and `.env` file as `coursectl`, through the built program. */
const { built } = require('./built.cjs');

module.exports = async () => {
  const { loadConfig } = await built('config/config.js');
  const { sequelizeOptions } = await built('db/connection.js');
  // A step may take long, on a large table or while others use it.
  return sequelizeOptions(loadConfig().database, { inactivityMs: 0 });
};
