/** Settings for sequelize-cli from the same environment and `.env` file as `coursectl`, through the built program. */

// As in coursectl: a new database and its folder are for this user only.
process.umask(0o077);

module.exports = async () => {
  const { loadConfig, sequelizeOptions } = await import('../../dist/for-migrations.js');
  try {
    // A step may take long, on a large table or while others use it.
    return sequelizeOptions(loadConfig().database, { inactivityMs: 0 });
  } catch (error) {
    if (error.code !== 'CONFIG_INVALID') throw error;
    // sequelize-cli would print its help and the stack around it.
    process.stderr.write(`ERROR: ${error.message}\n`);
    process.exit(1);
  }
};
