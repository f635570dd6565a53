import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { unzipSync } from 'fflate';
import { atDepth } from '../../support/depth.js';
import { fixture, useWorkbooks } from './support/workbooks.js';
import { zip } from './support/zip.js';

/** Returns a generator of the same pseudorandom numbers from 0 up to 1 in each run (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Changes, drops, repeats, moves or clears some bytes. */
function damagedBytes(bytes: Buffer, random: () => number): Buffer {
  const at = (length: number) => Math.floor(random() * length);
  let damaged = Buffer.from(bytes);
  for (let times = 1 + at(3); times > 0; times -= 1) {
    const start = at(damaged.length);
    const end = Math.min(damaged.length, start + 1 + at(random() < 0.5 ? 8 : 400));
    const piece = damaged.subarray(start, end);
    const [before, after] = [damaged.subarray(0, start), damaged.subarray(end)];
    const kind = at(6);
    if (kind === 0) damaged[start] = (damaged[start] ?? 0) ^ (1 << at(8));
    else if (kind === 1) damaged[start] = at(256);
    else if (kind === 2) piece.fill(random() < 0.5 ? 0 : 255);
    else if (kind === 3) damaged = Buffer.concat([before, after]);
    else if (kind === 4) damaged = Buffer.concat([before, piece, piece, after]);
    else damaged = Buffer.concat([before, after, piece]);
  }
  return damaged;
}

const odd = ['', '-1', '0', '1.5', '65536', '99999999999', '1e9', 'NaN', 'true', 'A0', 'XFE1', 's', 'd', 'rId9', 'x'];

/** Changes some attributes of XML, which stays well-formed. */
function damagedXml(xml: Buffer, random: () => number): Buffer {
  if (random() < 0.3) return damagedBytes(xml, random);
  const attributes = [...xml.toString().matchAll(/"[^"]*"/g)];
  const chosen = new Set(Array.from({ length: 3 }, () => Math.floor(random() * attributes.length)));
  let index = -1;
  return Buffer.from(
    xml.toString().replace(/"[^"]*"/g, (attribute) => {
      index += 1;
      return chosen.has(index) ? `"${odd[Math.floor(random() * odd.length)] ?? ''}"` : attribute;
    }),
  );
}

describe('A damaged workbook', () => {
  const workbooks = useWorkbooks();
  const rounds = atDepth(100, 1250);

  for (const name of ['edge.xlsx', 'layout.xlsx', 'edge-saved-again.ods', 'shared.ods']) {
    it(`is refused, or read like the undamaged ${name}`, async () => {
      const bytes = readFileSync(fixture(name));
      const whole = await workbooks.outcomeOf(bytes);
      const random = randomNumbers(42);
      for (let round = 0; round < rounds; round += 1) {
        const outcome = await workbooks.outcomeOf(damagedBytes(bytes, random));
        if (typeof outcome !== 'string') expect(outcome, `round ${round}`).to.deep.equal(whole);
      }
    });

    it(`causes no other errors than refusals if parts of ${name} are damaged`, async () => {
      const parts = Object.entries(unzipSync(readFileSync(fixture(name)))).filter(([part]) => /xml|rels$/.test(part));
      const random = randomNumbers(43);
      for (let round = 0; round < rounds; round += 1) {
        const damaged = Math.floor(random() * parts.length);
        const archive = parts.map(([part, content], index) => ({
          name: part,
          content: index === damaged ? damagedXml(Buffer.from(content), random) : content,
        }));
        expect(await workbooks.outcomeOf(zip(archive)), `round ${round}`).to.satisfy(
          (outcome: unknown) => typeof outcome === 'object' || /^[A-Z_]+: /.test(String(outcome)),
        );
      }
    });
  }
});
