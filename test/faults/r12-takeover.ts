import { type InProcess, startInProcess } from './in-process.js';
import { attacks } from './r12-attacks.js';
import { csvOf, setScene, spoils, victim, victimRow } from './r12-scene.js';
import type { Verdict } from './report.js';

/** Where the operator asked for it: the sessions of the account end, and the import can be undone. */
async function asked(service: InProcess): Promise<Verdict> {
  const giveAway = async () => {
    const scene = await setScene(service);
    await scene.claimPhone(victim.phone);
    const { id } = await scene.importHere(csvOf(victimRow), '--on-existing', 'update', '--match', 'phone');
    return { scene, id };
  };
  const given = await giveAway();
  const sessions = await service.context.database.models.Session.count({
    where: { userId: given.scene.attacker.user.id },
  });
  const signs = await spoils(given.scene);
  // No login meanwhile: undoing would keep that account.
  const again = await giveAway();
  await again.scene.cli('imports', 'undo', again.id, '--yes');
  const left = await spoils(again.scene);
  return {
    promised:
      'the attacks would be seen: with match phone the account is given away, its sessions end, and undo takes that back',
    measured: `${signs.length} signs of it, ${sessions} sessions, ${left.length} signs after undo`,
    kept: signs.length > 0 && sessions === 0 && left.length === 0,
  };
}

/** An account is not taken over by its phone: people set their own. */
export async function run(): Promise<Verdict[]> {
  const service = await startInProcess();
  try {
    const problems: string[] = [];
    for (const { name, play } of attacks) {
      const scene = await setScene(service);
      const odd = await play(scene);
      const found = await spoils(scene);
      for (const what of [...(odd === undefined ? [] : [odd]), ...found]) {
        console.log(`${name}: ${what}`);
        problems.push(name);
      }
    }
    return [
      {
        promised:
          'no account gets the name, email, role, enrollment or login of another by entering its phone in the profile',
        measured: `${attacks.length} ways over HTTP and at the terminal, ${new Set(problems).size} of them with a problem`,
        kept: problems.length === 0 && attacks.length >= 20,
      },
      await asked(service),
    ];
  } finally {
    await service.close();
  }
}
