/** Configures sequelize-cli from the same environment and `.env` file as `coursectl`, through the built program. */

// Only this user can access a new database and its folder, as in coursectl.
process.umask(0o077);

module.exports = async () => {
  const { loadConfig, sequelizeOptions } = await import('../../dist/for-migrations.js');
  try {
    // A migration of a large or busy table may take long.
    return sequelizeOptions(loadConfig().database, { inactivityMs: 0 });
  } catch (error) {
    if (error.code !== 'CONFIG_INVALID') throw error;
    // sequelize-cli would print its help and the stack around it.
    process.stderr.write(`ERROR: ${error.message}\n`);
    process.exit(1);
  }
};
