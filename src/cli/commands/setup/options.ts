export const setupOptions = {
  '--first-name <name>': "the super admin's first name",
  '--last-name <name>': "the super admin's last name",
  '--email <address>': "the super admin's email address",
  '--phone <number>': "the super admin's phone number",
  '--password-stdin': "read the super admin's password from standard input",
  '--yes': 'apply migrations without asking',
};
