/**
 * A demo programme: one super admin, three trainers, twelve courses and two hundred trainees.
 *
 * - The seeder inserts rows without the services, because it also runs under `sequelize-cli db:seed:all`. Only coursectl
 *   adds the files, because only its services know the storage.
 * - The rows are the same everywhere, except for their dates: these move with the day of loading. Apparent randomness
 *   comes from digests of fixed labels, so that `down` knows the ids.
 * - Nobody real is contacted by accident: emails are at example.com, and phones are from ranges reserved for fiction.
 */
const { createHash } = require('node:crypto');
const path = require('node:path');
const bcrypt = require('bcryptjs');

/** Password of every demo account. */
const demoPassword = 'demo-password';
const bcryptCost = 10;

/** "Now" in the lists below: no recorded event is later, but courses may be. Loading moves it to the present. */
const reference = new Date('2026-11-16T08:00:00Z');

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const rowsPerInsert = 100;

// --- People ---------------------------------------------------------------------------------------------------------

/** Local part of the email, first name, last name. */
const admin = ['admin', 'Margarethe', 'Lindqvist'];

const trainers = [
  ['trainer1', 'Ingrid', 'Halvorsen'],
  ['trainer2', 'Rafael', 'Domínguez'],
  ['trainer3', 'Ngozi', 'Adeyemi'],
];

/**
 * First and last names of trainees by language: five and four, for twenty people. `=` introduces Latin letters for the
 * email.
 */
const names = [
  ['Olivia William Charlotte Daniel Grace', 'Bennett O’Brien Griffiths Whitaker'],
  ['Zoë Anna-Lena Felix Jörg Greta', 'Müller=mueller Strauß=strauss Weißmann=weissmann Schröder=schroeder'],
  [
    'Αλέξανδρος=alexandros Ελένη=eleni Σοφία=sofia Χρήστος=christos Ειρήνη=irini',
    'Παπαδόπουλος=papadopoulos Γεωργίου=georgiou Νικολαΐδης=nikolaidis Βασιλείου=vasileiou',
  ],
  ['María_José Camila Iñaki Lucía Santiago', 'Núñez Ordóñez Etxeberria Puigdomènech'],
  [
    '健太=kenta はるか=haruka さくら=sakura 悠斗=yuto 美優=miyu',
    '佐藤=sato 山本=yamamoto 中村=nakamura 高橋=takahashi',
  ],
  [
    'Олена=olena Галина=halyna Павло=pavlo Дмитрий=dmitri Јелена=jelena',
    'Коваленко=kovalenko Шевчук=shevchuk Соколов=sokolov Петровић=petrovic',
  ],
  [
    'प्रिया=priya रितु=ritu सिद्धार्थ=siddharth कृतिका=kritika विक्रम=vikram',
    'शर्मा=sharma थापा=thapa कुलकर्णी=kulkarni देशपांडे=deshpande',
  ],
  [
    'ليلى=layla عمر=omar فاطمة=fatima خالد=khalid يوسف=youssef',
    'حداد=haddad الفارسي=alfarsi بن_علي=benali المنصور=almansour',
  ],
  ['Søren=soeren Freya Björk Guðrún=gudrun Åsa', 'Kjærgaard=kjaergaard Ødegård=oedegaard van_den_Berg Ångström'],
  ['Thị_Linh Chidị Zofia Jiří Aroha', 'Nguyễn Ọkafọ Dvořák Tāmihana'],
];

/** Returns a name of the table, and its letters in an email. */
function nameOf(word) {
  const [text, latin = text.normalize('NFD').replace(/[^A-Za-z-]/g, '')] = word.replaceAll('_', ' ').split('=');
  return { text, latin: latin.toLowerCase() };
}

/**
 * Each round has one trainee for each language. All pairs of names differ, because five and four have no common divisor.
 */
const trainees = Array.from({ length: 20 * names.length }, (_, index) => {
  const round = Math.floor(index / names.length);
  const [first, last] = names[index % names.length].map((list, part) => nameOf(list.split(' ')[round % (5 - part)]));
  return [`${first.latin}.${last.latin}`, first.text, last.text];
});

/** Number of trainees who joined in the last weeks. */
const newcomers = 30;

/** Indexes of trainees with inactive accounts. */
const inactiveTrainees = new Set([37, 90, 141, 188]);

// --- Courses --------------------------------------------------------------------------------------------------------

/**
 * `trainer` is an index in the list of trainers, `enrollments` the number of each status. The pending and active
 * enrollments must fit in `maxStudents`. "Secure Web Applications" and "First-Time Manager" are full, as examples.
 * `picture` and `materials` are files of the folder `demo`. `olivia` is the enrollment of the first trainee, `requests`
 * are messages of trainees who wait for an answer.
 */
const courses = [
  {
    trainer: 0,
    title: 'TypeScript for Working Developers',
    description:
      'Twelve weeks from typed functions to a tested service.\n\nEach week has a recorded lesson, an exercise that the trainer reviews, and an hour of questions. You need four hours a week.\n\nThe handbook: https://www.typescriptlang.org/docs/handbook/',
    shortDescription: 'From typed functions to a tested service in twelve weeks.',
    category: 'Programming',
    level: 'intermediate',
    language: 'English',
    courseType: 'online',
    tags: ['typescript', 'testing', 'web'],
    requirements: 'A year of JavaScript, in any setting.',
    learningOutcomes: 'Model a domain with types; test a service; read the types of others.',
    maxStudents: 30,
    dates: ['2026-09-07', '2026-12-04'],
    isFeatured: true,
    createdAt: '2026-05-18T09:30:00Z',
    enrollments: { active: 24, completed: 3, cancelled: 2 },
    picture: 'typescript.webp',
    materials: ['week-by-week.pdf'],
    olivia: {
      status: 'active',
      notes: 'I only have time in the evening. Is that enough?',
      reply: 'Yes: the lessons are recorded, and the hour of questions is at 19:00.',
    },
  },
  {
    trainer: 0,
    title: 'Practical SQL: From Spreadsheets to Databases',
    description:
      'For people who keep their numbers in spreadsheets and have begun to feel it. Bring a table of your own.',
    shortDescription: 'For people who have outgrown their spreadsheets.',
    category: 'Data',
    level: 'beginner',
    language: 'English',
    courseType: 'hybrid',
    tags: ['sql', 'databases', 'reporting'],
    requirements: 'None.',
    learningOutcomes: 'Design a small schema; write joins and aggregates; know when an index helps.',
    maxStudents: 24,
    dates: ['2026-08-31', '2026-11-06'],
    location: 'Oslo, Grensen 5',
    createdAt: '2026-06-08T13:00:00Z',
    enrollments: { completed: 20, cancelled: 3 },
    picture: 'sql.webp',
    materials: ['joins-on-one-page.pdf', 'bookshop.csv'],
    olivia: { status: 'completed' },
  },
  {
    trainer: 0,
    title: 'Secure Web Applications',
    description:
      'Attack an application that was built for it, then fix what you found, class by class of the OWASP Top Ten.\n\nEight mornings from 9:00 to 12:30, in small groups. Lunch is included.\n\nRead this first: https://owasp.org/www-project-top-ten/',
    shortDescription: 'Break it, then fix it.',
    category: 'Security',
    level: 'advanced',
    language: 'English',
    courseType: 'classroom',
    tags: ['security', 'owasp', 'web'],
    requirements: 'You have built and run a web application.',
    learningOutcomes: 'Find, explain and fix the usual vulnerabilities; review code for them.',
    maxStudents: 12,
    dates: ['2026-11-17', '2027-01-19'],
    location: 'Bergen, Vestre Torggaten 9',
    createdAt: '2026-08-24T08:15:00Z',
    enrollments: { pending: 2, active: 10, waiting: 7, cancelled: 2 },
    picture: 'security.webp',
    materials: ['before-the-first-day.pdf'],
    olivia: { status: 'active', notes: 'I maintain our sign-in page and would like to test it myself.' },
    requests: ['A seat for tomorrow would be great. I am nearby and can come on short notice.'],
  },
  {
    trainer: 0,
    title: 'Introduction to Machine Learning',
    description: 'Regression, trees and a small neural network, each on data that is real enough to disappoint.',
    shortDescription: 'Models, and when not to trust them.',
    category: 'Data',
    level: 'intermediate',
    language: 'English',
    courseType: 'online',
    tags: ['machine-learning', 'python', 'statistics'],
    requirements: 'Some Python; school mathematics.',
    learningOutcomes: 'Train, compare and question a model.',
    maxStudents: 60,
    dates: ['2027-01-11', '2027-04-02'],
    createdAt: '2026-09-28T10:00:00Z',
    enrollments: { pending: 21, active: 9, cancelled: 2 },
    picture: 'machine-learning.webp',
    olivia: { status: 'pending', notes: 'I know Python from two smaller projects. Is that enough?' },
    requests: [
      'I forecast our sales in a spreadsheet and would like to do it properly.',
      'My manager has agreed. Please send the invoice to our office in Leeds.',
      'I have read the book by Géron up to chapter 4. Where do we start?',
      'Can I bring data of our own? They are not confidential.',
      'I work on Thursdays. Are the lessons recorded?',
      'We are three from the same team and would like to be in one group.',
      'I took the course last year, but had to stop after four weeks.',
      'Do I need a computer with a graphics card?',
      'I speak English well, but write it slowly. Is that a problem?',
    ],
  },
  {
    trainer: 0,
    title: 'Designing Data Pipelines',
    description: 'Draft. Batch and stream, retries, and what "exactly once" can mean.',
    category: 'Data',
    level: 'advanced',
    language: 'English',
    courseType: 'online',
    tags: ['pipelines', 'databases'],
    isPublished: false,
    createdAt: '2026-11-02T15:45:00Z',
    enrollments: {},
  },
  {
    trainer: 1,
    title: 'First-Time Manager',
    description:
      'The first ninety days of leading the people you used to sit beside: one-to-ones, delegation, and bad news.\n\nTen afternoons. Between them you try one thing with your team, and tell the group how it went.',
    shortDescription: 'The first ninety days of leading a team.',
    category: 'Leadership',
    level: 'beginner',
    language: 'English',
    courseType: 'classroom',
    tags: ['leadership', 'feedback'],
    requirements: 'You lead a team, or will within three months.',
    learningOutcomes: 'Run one-to-ones; delegate; give feedback that is heard.',
    maxStudents: 16,
    dates: ['2026-11-19', '2027-02-04'],
    location: 'Madrid, Calle de Atocha 27',
    createdAt: '2026-08-17T07:50:00Z',
    enrollments: { pending: 2, active: 14, waiting: 6, cancelled: 1 },
    picture: 'manager.webp',
    materials: ['one-to-one-agenda.pdf'],
    olivia: { status: 'waiting', notes: 'I lead four people from next quarter. I can start on short notice.' },
    requests: ['I have led a team of six since last week. I need this course.', 'HR has approved my seat.'],
  },
  {
    trainer: 1,
    title: 'Negotiation in Practice',
    description: 'Role play in pairs, filmed and talked over. This course has ended; it is kept for its certificates.',
    shortDescription: 'Role play in pairs, filmed and talked over.',
    category: 'Communication',
    level: 'intermediate',
    language: 'English',
    courseType: 'classroom',
    tags: ['negotiation', 'role-play'],
    requirements: 'None.',
    learningOutcomes: 'Prepare a negotiation; know your alternative; keep the relationship.',
    maxStudents: 20,
    dates: ['2026-03-02', '2026-05-29'],
    location: 'Madrid, Calle de Atocha 27',
    isPublished: false,
    createdAt: '2026-01-12T11:20:00Z',
    enrollments: { completed: 17, cancelled: 2 },
    picture: 'negotiation.webp',
  },
  {
    trainer: 1,
    title: 'Public Speaking Studio',
    description: 'A talk every second week before a kind audience. Half of it on the spot, half on screen.',
    shortDescription: 'A talk every second week before a kind audience.',
    category: 'Communication',
    level: 'beginner',
    language: 'English',
    courseType: 'hybrid',
    tags: ['presenting', 'voice'],
    maxStudents: 18,
    dates: ['2026-10-19', '2027-01-29'],
    location: 'Lisboa, Rua da Madalena 80',
    createdAt: '2026-07-20T09:05:00Z',
    enrollments: { pending: 2, active: 12, cancelled: 1 },
    picture: 'speaking.webp',
    materials: ['feedback-sheet.pdf'],
    olivia: {
      status: 'cancelled',
      notes: 'I miss the first two evenings. Can I still join?',
      reply: 'The group already works in fixed pairs. Please come to the next one: I keep a seat for you.',
    },
    requests: ['I give a talk at a conference soon and would like to practise it.'],
  },
  {
    trainer: 1,
    title: 'Comunicación escrita para equipos remotos',
    description:
      'Escribir para que nadie tenga que preguntar: correos, actas, propuestas y mensajes. A su propio ritmo.',
    shortDescription: 'Escribir para que nadie tenga que preguntar.',
    category: 'Communication',
    level: 'intermediate',
    language: 'Español',
    courseType: 'online',
    tags: ['escritura', 'trabajo-remoto', 'español'],
    requirements: 'Español, nivel B2.',
    isFeatured: true,
    createdAt: '2026-04-13T08:40:00Z',
    enrollments: { pending: 3, active: 25, completed: 14, cancelled: 4 },
    picture: 'writing.webp',
    materials: ['plantilla-de-acta.pdf'],
    requests: ['Escribo cada día a clientes de México. ¿Sirve también para eso?'],
  },
  {
    trainer: 2,
    title: 'Workplace First Aid',
    description: 'Five days, mostly on the floor: resuscitation, bleeding, burns, and who does what until help comes.',
    shortDescription: 'What to do until help comes.',
    category: 'Health and safety',
    level: 'beginner',
    language: 'English',
    courseType: 'classroom',
    tags: ['first-aid', 'certificate'],
    requirements: 'Clothes that you can kneel in.',
    learningOutcomes: 'Certificate of a workplace first-aider, valid for three years.',
    maxStudents: 25,
    dates: ['2026-11-09', '2026-11-13'],
    location: 'Lagos, 14 Broad Street',
    createdAt: '2026-08-10T12:10:00Z',
    enrollments: { completed: 22, cancelled: 1 },
    picture: 'first-aid.webp',
    materials: ['emergency-card.pdf'],
    olivia: { status: 'completed' },
  },
  {
    trainer: 2,
    title: 'Data Protection Essentials',
    description:
      'What everybody who sees customer records has to know, in six short lessons with a test. Start at any time.',
    shortDescription: 'Six short lessons and a test. Start at any time.',
    category: 'Compliance',
    level: 'beginner',
    language: 'English',
    courseType: 'online',
    tags: ['gdpr', 'privacy', 'mandatory'],
    learningOutcomes: 'Recognise personal data; report a breach; answer a request for access.',
    maxStudents: 150,
    createdAt: '2026-02-16T09:00:00Z',
    enrollments: { pending: 9, active: 46, completed: 61, cancelled: 6 },
    picture: 'privacy.webp',
    materials: ['is-it-personal-data.pdf'],
    olivia: { status: 'active' },
    requests: [
      'Mandatory for me from next month. Can I start this week?',
      'I answer requests of customers for their data.',
      'My old certificate expires at the end of the month.',
      'I am new in the team of the call centre.',
    ],
  },
  {
    trainer: 2,
    title: 'English for International Teams',
    description: 'Draft. Meetings, small talk and disagreement across accents.',
    category: 'Languages',
    level: 'advanced',
    language: 'English',
    courseType: 'hybrid',
    tags: [],
    maxStudents: 40,
    dates: ['2027-02-01', '2027-05-28'],
    isPublished: false,
    createdAt: '2026-11-09T16:25:00Z',
    enrollments: {},
  },
];

/** Messages of some trainees with their request and the replies, by language and status. */
const conversations = {
  English: {
    waiting: [['I can start on short notice.'], ['Please keep me on the list, also for the next group.']],
    active: [
      ['Could I have the slides in advance?', 'You get them a day before each lesson.'],
      ['I may be ten minutes late on the first day.', 'No problem: you miss only the welcome.'],
      ['A colleague recommended this course to me.', 'Welcome! Say hello to your colleague.'],
      ['Do I get a certificate?', 'Yes: you find it here as soon as you have completed the course.'],
    ],
    completed: [
      ['I would like to use it in my next project.', 'Bring an example from it along.'],
      ['My manager has agreed.', 'You are in. See you on the first day.'],
    ],
    cancelled: [
      ['I may have to travel in the second week.', 'Ask again for the next group: you are welcome.'],
      ['I have no experience yet.', 'Please take the course for beginners first.'],
    ],
  },
  Español: {
    active: [['¿Puedo hacer los ejercicios por la noche?', 'Claro: el curso no tiene horario.']],
    completed: [['Mi equipo trabaja en tres países.', 'Entonces este curso es para ti.']],
    cancelled: [['Todavía estudio español, nivel A2.', 'Vuelve con un B2: te guardamos sitio.']],
  },
};

// --- Rows from the lists --------------------------------------------------------------------------------------------

const digest = (label) => createHash('sha256').update(`coursectl demo ${label}`).digest();

/** Returns a number from 0 to 1 (exclusive), always the same for a label. */
const fraction = (label) => digest(label).readUInt32BE() / 2 ** 32;

/**
 * Returns a moment between two others, always the same for a label. Rounded to seconds: a raw bulk insert stores no more
 * on MySQL.
 */
function momentBetween(from, to, label) {
  const ms = from.getTime() + fraction(label) * (to.getTime() - from.getTime());
  return new Date(Math.floor(ms / 1000) * 1000);
}

const earlier = (one, other) => new Date(Math.min(one, other));
const later = (one, other) => new Date(Math.max(one, other));

/**
 * Returns an id in the form of a UUIDv7 (RFC 9562, section 5.7) of a moment. The digest of a label replaces the
 * randomness.
 */
function demoId(label, createdAt) {
  const time = createdAt.getTime().toString(16).padStart(12, '0');
  const filler = digest(label).toString('hex');
  const variant = '89ab'[digest(label)[31] % 4];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${filler.slice(0, 3)}-${variant}${filler.slice(3, 6)}-${filler.slice(6, 18)}`;
}

/** Phone numbers that the regulators of seven countries reserve for fiction; `digits` are two digits. */
const phoneStyles = [
  (digits) => `+1 (212) 555-01${digits}`,
  (digits) => `+44 7700 900 1${digits}`,
  (digits) => `+33 6.39.98.10.${digits}`,
  (digits) => `+49 30 23125-1${digits}`,
  (digits) => `+46 70 174 06 ${digits}`,
  (digits) => `+61 2 5550 10${digits}`,
  (digits) => `+353 20 911 00${digits}`,
];

/** Returns a distinct phone for each index. Starts at 10, because not all ranges begin at 00. */
function demoPhone(place) {
  const style = phoneStyles[place % phoneStyles.length];
  return style(String(10 + Math.floor(place / phoneStyles.length)));
}

// --- Rows, in columns of the database; `keys` are the functions of the program that make keys ------------------------------

function accountRow(keys, [localPart, firstName, lastName], place, { role, isActive = true, createdAt }) {
  const email = `${localPart}@example.com`;
  const phone = demoPhone(place);
  const lastLogin = isActive && fraction(`${localPart} logs in`) < 0.8;
  return {
    id: demoId(localPart, createdAt),
    first_name: firstName,
    last_name: lastName,
    email,
    phone,
    phone_key: keys.phoneKey(phone),
    role,
    is_active: isActive,
    last_login: lastLogin
      ? momentBetween(later(createdAt, new Date(reference - 40 * dayMs)), reference, `${localPart} login`)
      : null,
    requires_password_change: false,
    search_key: keys.searchKey(firstName, lastName, email),
    last_name_key: keys.sortKey(lastName, 50),
    first_name_key: keys.sortKey(firstName, 50),
    created_at: createdAt,
    updated_at: createdAt,
  };
}

function traineeRow(keys, person, index) {
  const isNewcomer = index >= trainees.length - newcomers;
  const [from, to] = isNewcomer
    ? [new Date(reference - 80 * dayMs), new Date(reference - dayMs)]
    : [new Date('2025-09-01T06:00:00Z'), new Date('2025-12-20T18:00:00Z')];
  const createdAt = momentBetween(from, to, `${person[0]} joins`);
  return accountRow(keys, person, 1 + trainers.length + index, {
    role: 'trainee',
    isActive: !inactiveTrainees.has(index),
    createdAt,
  });
}

function courseRow(keys, course, trainerRows) {
  const createdAt = new Date(course.createdAt);
  const [startDate = null, endDate = null] = course.dates ?? [];
  return {
    id: demoId(course.title, createdAt),
    trainer_id: trainerRows[course.trainer].id,
    title: course.title,
    description: course.description,
    short_description: course.shortDescription ?? null,
    category: course.category,
    level: course.level,
    language: course.language,
    course_type: course.courseType,
    tags_json: JSON.stringify(course.tags),
    requirements: course.requirements ?? null,
    learning_outcomes: course.learningOutcomes ?? null,
    max_students: course.maxStudents ?? null,
    start_date: startDate,
    end_date: endDate,
    waiting_counter: course.enrollments.waiting ?? 0,
    location: course.location ?? null,
    is_published: course.isPublished ?? true,
    is_featured: course.isFeatured ?? false,
    search_key: keys.searchKey(course.title, course.category, ...course.tags),
    title_key: keys.sortKey(course.title, 200),
    category_key: keys.sortKey(course.category, 100),
    created_at: createdAt,
    updated_at: createdAt,
  };
}

/**
 * Returns when a course starts and ends, at the latest at the demo's today. A course without dates runs from its
 * creation.
 */
function courseRun(course) {
  const start = course.start_date === null ? course.created_at : new Date(`${course.start_date}T08:00:00Z`);
  const end = course.end_date === null ? reference : new Date(`${course.end_date}T16:00:00Z`);
  return { start, end: earlier(end, reference) };
}

/** Returns the last moment to enroll: the start of a course with dates, otherwise now. */
const closing = (course) => (course.start_date === null ? reference : earlier(courseRun(course).start, reference));

/** Days in which open requests and waiting trainees came: requests are answered within a week. */
const recentDays = { pending: 6, waiting: 20 };

/** Returns when a trainee enrolled. */
function enrollmentMoment(course, trainee, status, label) {
  const opens = new Date(later(course.created_at, trainee.created_at).getTime() + hourMs);
  const days = recentDays[status];
  if (days === undefined) return momentBetween(opens, closing(course), `${label} enrolls`);
  return momentBetween(later(opens, new Date(reference - days * dayMs)), reference, `${label} enrolls`);
}

/** Returns the progress of an active trainee: about the part of the course that is over. */
function activeProgress(course, label) {
  const pace = fraction(`${label} progress`);
  if (course.start_date === null) return Math.floor(pace * 96);
  const { start } = courseRun(course);
  const end = new Date(`${course.end_date}T16:00:00Z`);
  return Math.min(95, Math.floor(((reference - start) / (end - start)) * (40 + 75 * pace)));
}

/** Returns the progress of a status, and when the row last changed. */
function enrollmentState(course, status, enrolledAt, label) {
  const { start, end } = courseRun(course);
  const begun = later(start, enrolledAt);
  switch (status) {
    case 'active':
      if (begun > reference) return { progress: 0, changedAt: enrolledAt };
      return {
        progress: activeProgress(course, label),
        changedAt: momentBetween(begun, reference, `${label} works`),
      };
    case 'completed': {
      // At the end of a course that is over, otherwise after half of it.
      const part = end < reference ? 0.9 : 0.5;
      const from = new Date(begun.getTime() + part * (end - begun));
      return { progress: 100, changedAt: momentBetween(from, end, `${label} completes`) };
    }
    case 'cancelled':
      return { progress: 0, changedAt: momentBetween(enrolledAt, end, `${label} cancels`) };
    default:
      return { progress: 0, changedAt: enrolledAt };
  }
}

const labelOf = (course, trainee) => `${trainee.email} in ${course.title}`;

/** Returns the message and reply of an enrollment; `place` is its place among those with the same status. */
function conversationOf({ language, requests = [] }, status, place, label) {
  // Every other request has a message.
  if (status === 'pending') return [place % 2 === 0 ? requests[place / 2] : undefined];
  const choices = conversations[language][status] ?? [];
  return fraction(`${label} notes`) < 0.25 ? (choices[place % choices.length] ?? []) : [];
}

/** Returns the columns of the message, the reply, and the reason of a cancelled enrollment. */
function wordsOf(course, status, [notes = null, reply = null], enrolledAt, repliedAt) {
  return {
    notes,
    notes_at: notes && enrolledAt,
    reply,
    reply_at: reply && repliedAt,
    reply_by: reply && course.trainer_id,
    cancel_reason: status === 'cancelled' ? (reply ? 'refused' : 'left') : null,
  };
}

function enrollmentRow(course, trainee, status, conversation) {
  const label = labelOf(course, trainee);
  const enrolledAt = enrollmentMoment(course, trainee, status, label);
  const { progress, changedAt } = enrollmentState(course, status, enrolledAt, label);
  const [, reply] = conversation;
  const repliedAt = momentBetween(
    enrolledAt,
    earlier(new Date(enrolledAt.getTime() + 2 * dayMs), reference),
    `${label} reply`,
  );
  const isRefused = status === 'cancelled' && reply !== undefined;
  return {
    id: demoId(label, enrolledAt),
    user_id: trainee.id,
    course_id: course.id,
    trainer_id: course.trainer_id,
    status,
    progress,
    ...wordsOf(course, status, conversation, enrolledAt, repliedAt),
    waiting_number: null,
    enrolled_at: enrolledAt,
    completed_at: status === 'completed' ? changedAt : null,
    created_at: enrolledAt,
    updated_at: isRefused ? repliedAt : later(changedAt, reply ? repliedAt : changedAt),
  };
}

function certificateRow({ certificateCode }, enrollment, { trainee, trainer, course }) {
  const { id, completed_at: completedAt } = enrollment;
  return {
    id: demoId(`certificate of ${id}`, completedAt),
    code: certificateCode(digest(`certificate code of ${id}`)),
    enrollment_id: id,
    user_id: trainee.id,
    course_id: course.id,
    first_name: trainee.first_name,
    last_name: trainee.last_name,
    course_title: course.title,
    trainer_name: `${trainer.first_name} ${trainer.last_name}`,
    start_date: course.start_date,
    end_date: course.end_date,
    completed_on: completedAt.toISOString().slice(0, 10),
    issued_at: completedAt,
  };
}

function certificateRows(program, { members, courses: courseRows, enrollments }) {
  const people = new Map(members.map((person) => [person.id, person]));
  const coursesById = new Map(courseRows.map((course) => [course.id, course]));
  return enrollments
    .filter(({ status }) => status === 'completed')
    .map((enrollment) => {
      const course = coursesById.get(enrollment.course_id);
      const [trainee, trainer] = [people.get(enrollment.user_id), people.get(course.trainer_id)];
      return certificateRow(program, enrollment, { trainee, trainer, course });
    });
}

/** Returns the trainees who could enroll in a course, in an order specific to the course. */
function drawTrainees(course, [, ...others]) {
  const latest = new Date(closing(course) - dayMs);
  return others
    .filter((trainee) => trainee.created_at < latest)
    .map((trainee) => ({ trainee, lot: fraction(`${course.title} draws ${trainee.email}`) }))
    .sort((one, other) => one.lot - other.lot)
    .map(({ trainee }) => trainee);
}

/** Returns the enrollments of a course; the counts include the first trainee's. */
function enrollmentRows(course, declared, traineeRows) {
  const { enrollments, olivia } = declared;
  const drawn = drawTrainees(course, traineeRows);
  const rows = Object.entries(enrollments).flatMap(([status, count]) => {
    const isGuest = olivia?.status === status;
    const chosen = drawn.splice(0, isGuest ? count - 1 : count);
    const others = chosen.map((trainee, place) =>
      enrollmentRow(course, trainee, status, conversationOf(declared, status, place, labelOf(course, trainee))),
    );
    return isGuest ? [enrollmentRow(course, traineeRows[0], status, [olivia.notes, olivia.reply]), ...others] : others;
  });
  const waiting = rows.filter(({ status }) => status === 'waiting').sort((a, b) => a.enrolled_at - b.enrolled_at);
  for (const [before, row] of waiting.entries()) row.waiting_number = before + 1;
  return rows;
}

/**
 * Returns all rows.
 * @param keys functions of src/db/migrations/for-migrations.ts
 */
function demoRows(keys) {
  const superAdmin = accountRow(keys, admin, 0, { role: 'super_admin', createdAt: new Date('2025-08-04T07:00:00Z') });
  const trainerRows = trainers.map((person, index) =>
    accountRow(keys, person, 1 + index, { role: 'trainer', createdAt: new Date(`2025-08-${11 + index}T08:30:00Z`) }),
  );
  const traineeRows = trainees.map((person, index) => traineeRow(keys, person, index));
  const courseRows = courses.map((course) => courseRow(keys, course, trainerRows));
  return {
    superAdmin,
    members: [...trainerRows, ...traineeRows],
    courses: courseRows,
    enrollments: courseRows.flatMap((course, index) => enrollmentRows(course, courses[index], traineeRows)),
  };
}

// --- Dates ----------------------------------------------------------------------------------------------------------

const dayColumns = ['start_date', 'end_date', 'completed_on'];

/**
 * Returns a function that moves the dates of rows from the reference to the present. Moments move by whole days and stay
 * in the past.
 * @param today day in the programme's time zone, as `YYYY-MM-DD`
 */
function moving(now, today) {
  const momentsBy = Math.floor((now - reference) / dayMs) * dayMs;
  const daysBy = Date.parse(today) - Date.parse(reference.toISOString().slice(0, 10));
  const movedDay = (day) => new Date(Date.parse(day) + daysBy).toISOString().slice(0, 10);
  const moved = (column, value) => {
    if (value instanceof Date) return new Date(value.getTime() + momentsBy);
    return value !== null && dayColumns.includes(column) ? movedDay(value) : value;
  };
  return (rows) =>
    rows.map((row) => Object.fromEntries(Object.entries(row).map(([column, value]) => [column, moved(column, value)])));
}

/** Returns a day of the machine's time zone, as `YYYY-MM-DD`: the format of Swedish dates. */
const localDay = (moment) => moment.toLocaleDateString('sv-SE');

// --- The seeder -----------------------------------------------------------------------------------------------------

/**
 * Runs work in a transaction. On SQLite it takes the write lock at its start: a transaction that reads first fails beside
 * another writer. MySQL has no such type.
 */
function inOneTransaction(queryInterface, work) {
  return queryInterface.sequelize.transaction({ type: 'IMMEDIATE' }, work);
}

async function isAnyUser(queryInterface, condition, replacements, transaction) {
  const [found] = await queryInterface.sequelize.query(`SELECT id FROM users WHERE ${condition} LIMIT 1`, {
    replacements,
    transaction,
    type: 'SELECT',
  });
  return found !== undefined;
}

async function insertRows(queryInterface, table, rows, transaction) {
  for (let start = 0; start < rows.length; start += rowsPerInsert) {
    await queryInterface.bulkInsert(table, rows.slice(start, start + rowsPerInsert), { transaction });
  }
}

function accountWordRows({ storedWords }, accounts) {
  return accounts.flatMap((account) => {
    const { search_key: searchKey, first_name_key: firstNameKey, last_name_key: lastNameKey, email } = account;
    const words = storedWords({ searchKey, firstNameKey, lastNameKey, email });
    return words.map((word) => ({ word, account_id: account.id }));
  });
}

const courseWordRows = ({ indexedWords }, courseRows) =>
  courseRows.flatMap(({ id, search_key: key }) => indexedWords(key).map((word) => ({ word, course_id: id })));

const idsOf = (rows) => rows.map((row) => row.id);

/** Returns the functions of the program: those passed by coursectl, or the built ones under sequelize-cli. */
const loadProgram = async (given) => given ?? import('../dist/for-migrations.js');

module.exports = {
  /**
   * Inserts the demo, unless it exists. Keeps an existing super admin.
   * @param {{ program?: object, now?: Date, today?: string, alsoInTransaction?: (transaction: object) => Promise<void> }}
   *   [given] passed by coursectl: `today` is the day in the programme's time zone, `alsoInTransaction` runs in the
   *   transaction of new rows. Its services have checked that the demo may be loaded. Without `alsoInTransaction`, the
   *   seeder checks that itself
   * @throws AppError `SEED_REFUSED`, `DATABASE_NOT_EMPTY`, both without `alsoInTransaction` only
   */
  async up(
    queryInterface,
    _sequelize,
    { program: givenProgram, now = new Date(), today = localDay(now), alsoInTransaction } = {},
  ) {
    const program = await loadProgram(givenProgram);
    const { AppError, loadConfig } = program;
    const isUnchecked = alsoInTransaction === undefined;
    if (isUnchecked && loadConfig().environment === 'production') throw new AppError('SEED_REFUSED');
    const rows = demoRows(program);
    const { superAdmin, members, courses: courseRows, enrollments } = rows;
    const move = moving(now, today);
    await inOneTransaction(queryInterface, async (transaction) => {
      if (await isAnyUser(queryInterface, 'id IN (:ids)', { ids: idsOf(members) }, transaction)) return;
      if (isUnchecked && (await isAnyUser(queryInterface, "role <> 'super_admin'", {}, transaction)))
        throw new AppError('DATABASE_NOT_EMPTY');
      const hasSuperAdmin = await isAnyUser(queryInterface, "role = 'super_admin'", {}, transaction);
      const accounts = hasSuperAdmin ? members : [superAdmin, ...members];
      const passwordHash = await bcrypt.hash(demoPassword, bcryptCost);
      const users = accounts.map((account) => ({ ...account, password_hash: passwordHash }));
      await insertRows(queryInterface, 'users', move(users), transaction);
      await insertRows(queryInterface, 'account_words', accountWordRows(program, accounts), transaction);
      await insertRows(queryInterface, 'courses', move(courseRows), transaction);
      await insertRows(queryInterface, 'course_words', courseWordRows(program, courseRows), transaction);
      await insertRows(queryInterface, 'enrollments', move(enrollments), transaction);
      await insertRows(queryInterface, 'certificates', move(certificateRows(program, rows)), transaction);
      await alsoInTransaction?.(transaction);
    });
  },

  /**
   * Deletes the demo's rows, and enrollments that were added to them since; marks the files of its courses for removal
   * from the storage. Fails as a whole while a demo trainer has other courses.
   * @param {{ program?: object, assertRemovable?: (transaction: object, rows: object) => Promise<void> }} [given] passed
   *   by coursectl: `assertRemovable` gets the rows with the dates of the lists, and throws if people have changed them
   */
  async down(queryInterface, _sequelize, { program, assertRemovable } = {}) {
    const { superAdmin, members, courses: courseRows, enrollments } = demoRows(await loadProgram(program));
    const users = [superAdmin, ...members];
    await inOneTransaction(queryInterface, async (transaction) => {
      await assertRemovable?.(transaction, { users, courses: courseRows, enrollments });
      const ofCourses = { course_id: idsOf(courseRows), state: 'live' };
      await queryInterface.bulkUpdate('files', { state: 'marked' }, ofCourses, { transaction });
      await queryInterface.bulkDelete('enrollments', { id: idsOf(enrollments) }, { transaction });
      await queryInterface.bulkDelete('courses', { id: idsOf(courseRows) }, { transaction });
      await queryInterface.bulkDelete('account_words', { account_id: idsOf(users) }, { transaction });
      await queryInterface.bulkDelete('users', { id: idsOf(users) }, { transaction });
    });
  },

  /** Returns the files that coursectl adds to the courses. */
  files(program) {
    const { courses: courseRows } = demoRows(program);
    return courses.flatMap(({ picture, materials = [] }, index) => {
      const { id: courseId, trainer_id: trainerId } = courseRows[index];
      const file = (kind) => (name) => ({ kind, name, path: path.join(__dirname, 'demo', name), courseId, trainerId });
      return [...(picture === undefined ? [] : [file('thumbnail')(picture)]), ...materials.map(file('material'))];
    });
  },
};
