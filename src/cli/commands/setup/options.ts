export const setupOptions = {
  '--first-name <name>': "the super admin's first name",
  '--last-name <name>': "the super admin's last name",
  '--email <address>': "the super admin's email address",
  '--phone <number>': "the super admin's phone number",
  '--password-stdin': "read the super admin's password from standard input",
  '--production': 'also write NODE_ENV=production and a new JWT_SECRET to .env, unless they are set',
  '--yes': 'create or update the tables without asking',
};
