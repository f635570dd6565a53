const { oneOf, replaceCheck } = require('./lib/ddl.cjs');

const former = ['queued', 'running', 'interrupted', 'completed', 'stopped', 'failed', 'cancelled', 'undoing', 'undone'];
// Imports over HTTP that are planned before they are applied.
const planned = ['planning', 'planned', 'expired', 'discarded'];

const table = { table: 'imports', referring: ['import_rows'] };
const formerCheck = ['imports_status_known', oneOf('status', former)];
const check = ['imports_status_valid', oneOf('status', [...former, ...planned])];

module.exports = {
  async up(queryInterface) {
    await replaceCheck(queryInterface, { ...table, from: formerCheck, to: check });
  },

  async down(queryInterface) {
    const words = planned.map((word) => `'${word}'`).join(', ');
    // The tables of the plans are gone by now: these imports can't be applied.
    await queryInterface.sequelize.query(`UPDATE imports SET status = 'cancelled' WHERE status IN (${words})`);
    await replaceCheck(queryInterface, { ...table, from: check, to: formerCheck });
  },
};
