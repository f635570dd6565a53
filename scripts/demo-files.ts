/**
 * Draws the pictures of the demo's courses and writes their PDF files into seeders/demo: `npm run demo:files`.
 * The pictures are what an upload of the drawings becomes, so that loading the demo takes no conversion.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { createImagePreparer } from '../src/storage/images.js';

const target = fileURLToPath(new URL('../seeders/demo/', import.meta.url));
const size = { width: 960, height: 540 };

const circle = (x: number, y: number, r: number, fill: string) =>
  `<circle cx="${x}" cy="${y}" r="${r}" fill="${fill}"/>`;
const box = (x: number, y: number, width: number, height: number, fill: string, radius = 12) =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" fill="${fill}"/>`;
const line = (path: string, color: string, width = 14) =>
  `<path d="${path}" fill="none" stroke="${color}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`;
const shape = (path: string, fill: string) => `<path d="${path}" fill="${fill}"/>`;

/** A person from the waist up. */
const person = (x: number, y: number, shirt: string, skin: string, hair: string) =>
  `${shape(`M${x - 95} ${y + 210} q0 -120 95 -120 q95 0 95 120 z`, shirt)}${box(x - 20, y + 40, 40, 66, skin, 20)}` +
  `${circle(x, y, 58, skin)}${shape(`M${x - 62} ${y + 4} q-2 -70 62 -70 q64 0 62 70 q-22 -38 -62 -38 q-40 0 -62 38 z`, hair)}`;

/** Lines of code: indentation, and lengths with their colors. */
const code = (lines: readonly (readonly [indent: number, ...words: (readonly [length: number, color: string])[]])[]) =>
  lines
    .map(([indent, ...words], row) => {
      let x = 250 + indent * 44;
      return words
        .map(([length, color]) => {
          const word = box(x, 178 + row * 42, length, 18, color, 9);
          x += length + 16;
          return word;
        })
        .join('');
    })
    .join('');

/** Neurons of a network: a column of each layer. */
function network(layers: readonly number[]): string {
  const columns = layers.map((count, layer) =>
    Array.from({ length: count }, (_, place) => [270 + layer * 210, 280 + (place - (count - 1) / 2) * 115] as const),
  );
  const links = columns.flatMap((from, layer) =>
    from.flatMap(([x, y]) =>
      (columns[layer + 1] ?? []).map(([toX, toY]) => line(`M${x} ${y} L${toX} ${toY}`, '#7a66d4', 6)),
    ),
  );
  const colors = ['#ffd166', '#f4f1ff', '#ff7b9c'];
  return [
    ...links,
    ...columns.flatMap((column, layer) => column.map(([x, y]) => circle(x, y, 38, colors[layer] ?? ''))),
  ].join('');
}

/** Inner part of each drawing, and its background: a color, and one for the large circle. */
const pictures: Readonly<Record<string, { background: readonly [string, string]; drawing: string }>> = {
  typescript: {
    background: ['#1d4e89', '#2a669f'],
    drawing:
      box(200, 90, 560, 370, '#0f2747', 20) +
      circle(236, 126, 10, '#ff6b6b') +
      circle(268, 126, 10, '#ffd166') +
      circle(300, 126, 10, '#06d6a0') +
      code([
        [0, [70, '#ff7b9c'], [130, '#ffd166'], [50, '#6c8ebf']],
        [1, [90, '#7fd1ff'], [160, '#e8eef7']],
        [1, [60, '#ff7b9c'], [110, '#06d6a0'], [80, '#e8eef7']],
        [2, [150, '#7fd1ff'], [70, '#ffd166']],
        [1, [40, '#6c8ebf']],
        [0, [30, '#6c8ebf']],
      ]) +
      circle(720, 420, 62, '#06d6a0') +
      line('M690 420 l22 22 l40 -44', '#ffffff', 16),
  },
  sql: {
    background: ['#f4a259', '#f7b87e'],
    drawing:
      box(130, 130, 330, 290, '#fffaf2', 16) +
      shape('M130 146 q0 -16 16 -16 h298 q16 0 16 16 v44 h-330 z', '#5b8e7d') +
      [0, 1, 2].map((row) => line(`M130 ${248 + row * 58} H460`, '#e6d9c6', 4)).join('') +
      line('M240 190 V420 M350 190 V420', '#e6d9c6', 4) +
      [0, 1, 2, 3]
        .map(
          (row) =>
            box(150, 212 + row * 58, 64, 14, '#f4a259', 7) +
            box(260, 212 + row * 58, 50 + ((row * 23) % 30), 14, '#9db9ae', 7) +
            box(370, 212 + row * 58, 40 + ((row * 31) % 40), 14, '#bc4b51', 7),
        )
        .join('') +
      line('M490 270 H590 M560 240 L592 270 L560 300', '#7a4419', 14) +
      shape('M640 190 v180 q0 50 110 50 q110 0 110 -50 v-180 z', '#5b8e7d') +
      '<ellipse cx="750" cy="190" rx="110" ry="46" fill="#8cb8a8"/>' +
      line('M640 250 q0 48 110 48 q110 0 110 -48 M640 310 q0 48 110 48 q110 0 110 -48', '#fffaf2', 8),
  },
  security: {
    background: ['#22223b', '#31315a'],
    drawing:
      shape('M480 70 q90 60 190 60 q10 240 -190 350 q-200 -110 -190 -350 q100 0 190 -60 z', '#4ea8de') +
      shape('M480 70 q90 60 190 60 q10 240 -190 350 z', '#5fb8ec') +
      circle(480, 245, 56, '#22223b') +
      shape('M458 270 h44 l18 100 h-80 z', '#22223b') +
      line('M150 190 l-50 60 l50 60 M810 190 l50 60 l-50 60', '#9a8c98', 16) +
      box(170, 410, 70, 16, '#c9ada7', 8) +
      box(720, 410, 70, 16, '#c9ada7', 8) +
      box(190, 96, 44, 16, '#c9ada7', 8) +
      box(730, 96, 44, 16, '#c9ada7', 8),
  },
  'machine-learning': { background: ['#3d2c8d', '#4b39a3'], drawing: network([3, 4, 2]) },
  manager: {
    background: ['#e8d5c4', '#f0e2d5'],
    drawing:
      person(300, 210, '#3a6ea5', '#f2c6a0', '#4a2c2a') +
      person(660, 210, '#c8553d', '#a9714b', '#1f1a17') +
      box(90, 400, 780, 30, '#7f5539', 15) +
      box(150, 430, 26, 110, '#6b4630', 0) +
      box(784, 430, 26, 110, '#6b4630', 0) +
      shape(
        'M404 90 h120 q24 0 24 24 v54 q0 24 -24 24 h-80 l-34 30 l4 -30 q-34 0 -34 -24 v-54 q0 -24 24 -24 z',
        '#ffffff',
      ) +
      circle(424, 141, 10, '#3a6ea5') +
      circle(464, 141, 10, '#3a6ea5') +
      circle(504, 141, 10, '#3a6ea5') +
      box(440, 364, 48, 36, '#f4f1de', 8) +
      line('M488 374 q20 0 20 10 q0 8 -20 8', '#f4f1de', 7),
  },
  negotiation: {
    background: ['#2a9d8f', '#35ada0'],
    drawing:
      shape(
        'M150 120 h330 q40 0 40 40 v120 q0 40 -40 40 h-230 l-80 70 v-70 h-20 q-40 0 -40 -40 v-120 q0 -40 40 -40 z',
        '#e9c46a',
      ) +
      shape(
        'M480 210 h330 q40 0 40 40 v120 q0 40 -40 40 h-20 v70 l-80 -70 h-230 q-40 0 -40 -40 v-120 q0 -40 40 -40 z',
        '#f4f1de',
      ) +
      line('M190 190 H430 M190 246 H370', '#a5822f', 16) +
      line('M540 290 H770 M540 346 H690', '#264653', 16),
  },
  speaking: {
    background: ['#8d1c3d', '#a02a4d'],
    drawing:
      shape('M480 -40 L760 540 H200 z', '#b23a5e') +
      shape('M480 -40 L640 540 H320 z', '#c44c70') +
      box(428, 130, 104, 190, '#ffe8d6', 52) +
      line('M388 250 q0 112 92 112 q92 0 92 -112 M480 362 V440 M400 446 H560', '#ffe8d6', 18) +
      line('M444 186 H516 M444 224 H516 M444 262 H516', '#8d1c3d', 8) +
      line(
        'M330 180 q-36 70 0 140 M270 150 q-58 100 0 200 M630 180 q36 70 0 140 M690 150 q58 100 0 200',
        '#ffb4a2',
        14,
      ),
  },
  writing: {
    background: ['#cfe8ef', '#dff1f5'],
    drawing:
      shape('M210 250 L480 130 L750 250 V450 q0 20 -20 20 H230 q-20 0 -20 -20 z', '#1f6f8b') +
      box(270, 110, 420, 300, '#ffffff', 14) +
      line('M320 170 H560 M320 216 H640 M320 262 H600', '#b7cdd6', 14) +
      shape('M210 260 L480 400 L750 260 V450 q0 20 -20 20 H230 q-20 0 -20 -20 z', '#2b8aa8') +
      shape('M222 464 L430 340 h100 L738 464 q-4 6 -8 6 H230 q-4 0 -8 -6 z', '#3a9dbb') +
      shape('M700 60 l60 44 l-110 150 l-64 20 l4 -66 z', '#ee6c4d') +
      shape('M586 274 l4 -66 l60 44 z', '#ffe0d6') +
      shape('M700 60 l60 44 l14 -20 q8 -12 -4 -22 l-30 -22 q-14 -8 -24 4 z', '#293241'),
  },
  // White on green: the red cross is a protected emblem.
  'first-aid': {
    background: ['#fde8d0', '#fff3e4'],
    drawing:
      box(390, 80, 180, 90, '#1b4332', 24) +
      box(420, 108, 120, 62, '#fff3e4', 12) +
      box(230, 136, 500, 320, '#2d9d6c', 36) +
      box(230, 136, 500, 60, '#45b384', 30) +
      box(444, 220, 72, 192, '#ffffff', 10) +
      box(384, 280, 192, 72, '#ffffff', 10) +
      line('M60 330 h70 l20 -50 l34 96 l22 -46 h24 M730 330 h40 l20 -50 l34 96 l22 -46 h54', '#e07a5f', 12),
  },
  privacy: {
    background: ['#495867', '#566777'],
    drawing:
      box(190, 80, 320, 390, '#f7f7ff', 18) +
      circle(280, 180, 46, '#bdd5ea') +
      shape('M210 268 q0 -54 70 -54 q70 0 70 54 z', '#bdd5ea') +
      line('M380 160 H460 M380 204 H440', '#c9d3df', 14) +
      line('M240 324 H460 M240 370 H400 M240 416 H430', '#c9d3df', 14) +
      line('M560 270 v-50 q0 -80 80 -80 q80 0 80 80 v50', '#fe5f55', 34) +
      box(510, 256, 260, 210, '#ffb703', 28) +
      circle(640, 344, 30, '#495867') +
      box(628, 350, 24, 66, '#495867', 10),
  },
};

/** Title, subtitle and lines of each PDF file. */
const documents: Readonly<Record<string, readonly string[]>> = {
  'week-by-week': [
    'TypeScript for Working Developers',
    'Twelve weeks, two hours each plus an exercise',
    'Weeks 1-3    Functions, objects and unions: types that say what you mean',
    'Weeks 4-6    Generics, and how to read the types of others',
    'Weeks 7-9    A service with an API: validation at its edges, errors as values',
    'Weeks 10-11  Tests that survive a refactoring',
    'Week 12      Your own project in front of the group',
    'Exercises are due on Sunday evening. You get a review by Tuesday.',
  ],
  'before-the-first-day': [
    'Secure Web Applications',
    'Before the first day',
    '[ ]  Bring a laptop on which you may install software',
    '[ ]  Install a container runtime and a browser with developer tools',
    '[ ]  Read the OWASP Top Ten, and mark the two that worry you most',
    '[ ]  Sign the rules of the lab: attack nothing except our application',
    'Doors open at 8:30. Coffee is in the kitchen on the first floor.',
  ],
  'joins-on-one-page': [
    'Practical SQL',
    'Joins on one page',
    'INNER JOIN   rows that have a partner in both tables',
    'LEFT JOIN    all rows of the left table, with or without a partner',
    'CROSS JOIN   each row with each: rarely what you want',
    'Start with the table whose rows you want to count.',
    'If a number is too large, look for a join that repeats rows.',
  ],
  'one-to-one-agenda': [
    'First-Time Manager',
    'Agenda of a one-to-one: 30 minutes, each week',
    '10 minutes   Their topics. Ask, then listen.',
    '10 minutes   Your topics: feedback while it is fresh',
    ' 5 minutes   Growth: one step until next month',
    ' 5 minutes   What each of you does until next week',
    'Cancel it only for a fire. Move it if you must.',
  ],
  'feedback-sheet': [
    'Public Speaking Studio',
    'Feedback sheet for a talk',
    'What do I remember?    ______________________________',
    'Where was I lost?      ______________________________',
    'Voice and pauses       1  2  3  4  5',
    'Eye contact            1  2  3  4  5',
    'One thing to keep      ______________________________',
    'One thing to change    ______________________________',
  ],
  'emergency-card': [
    'Workplace First Aid',
    'Emergency card: hang it beside the first-aid box',
    '1  Look: is it safe for you to help?',
    '2  Speak to the person. Does the person answer?',
    '3  Call for help: emergency number ______, first-aider ______',
    '4  No normal breathing: 30 compressions, 2 breaths, again and again',
    '5  Send somebody for the defibrillator: it is ______________',
  ],
  'is-it-personal-data': [
    'Data Protection Essentials',
    'Is it personal data? Five questions',
    '1  Does it name a person, or a number that belongs to one?',
    '2  Could somebody with another list find the person?',
    '3  Does it tell something about health, belief or origin? Ask first.',
    '4  Do you need it for the task? If not, leave it out.',
    '5  When will it be deleted, and by whom?',
  ],
  'plantilla-de-acta': [
    'Comunicación escrita para equipos remotos',
    'Plantilla de acta: una página como máximo',
    'Decisiones    qué se decidió, en una frase cada una',
    'Tareas        quién hace qué, y hasta cuándo',
    'Abierto       qué falta por saber, y quién pregunta',
    'Envíala el mismo día. Nadie corrige un acta de la semana pasada.',
  ],
};

/** Returns a PDF file of one page (ISO 32000): a title, a subtitle and lines. */
function pdf([title, subtitle, ...lines]: readonly string[]): Buffer {
  const text = (font: string, points: number, y: number, words = '') =>
    `BT /${font} ${points} Tf 60 ${y} Td (${words.replace(/[\\()]/g, '\\$&')}) Tj ET`;
  const content = [
    text('B', 22, 760, title),
    text('R', 13, 732, subtitle),
    '0.8 w 60 716 m 535 716 l S',
    ...lines.map((words, row) => text('M', 10.5, 680 - row * 30, words)),
  ].join('\n');
  const font = (name: string) => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /B 5 0 R /R 6 0 R /M 7 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    font('Helvetica-Bold'),
    font('Helvetica'),
    font('Courier'),
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const count = objects.length + 1;
  const end = `trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(`${file}xref\n0 ${count}\n0000000000 65535 f \n${offsets.join('')}${end}`, 'latin1');
}

for (const [name, lines] of Object.entries(documents)) writeFileSync(path.join(target, `${name}.pdf`), pdf(lines));

const folder = mkdtempSync(path.join(tmpdir(), 'coursectl-demo-'));
const images = createImagePreparer();
try {
  for (const [name, { background, drawing }] of Object.entries(pictures)) {
    const [color, lighter] = background;
    const svg =
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 540">${box(0, 0, 960, 540, color, 0)}` +
      `${circle(480, 280, 300, lighter)}${drawing}</svg>`;
    const [png, webp] = [path.join(folder, `${name}.png`), path.join(target, `${name}.webp`)];
    await sharp(Buffer.from(svg)).resize(size).png().toFile(png);
    await images.prepare(png, webp, { maxPixels: size.width * size.height, ...size }, { account: 'demo' });
    chmodSync(webp, 0o644);
  }
} finally {
  images.close();
  rmSync(folder, { recursive: true });
}
