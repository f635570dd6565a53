import type { AccountField } from '../../api/account-fields.js';

export const accountFields: Record<AccountField, string> = {
  firstName: 'Vorname',
  lastName: 'Nachname',
  email: 'E-Mail',
  phone: 'Telefon',
  role: 'Rolle',
  isActive: 'Darf sich anmelden',
  requiresPasswordChange: 'Muss Passwort ändern',
  lastLogin: 'Letzte Anmeldung',
  avatar: 'Bild',
  language: 'Sprache der E-Mails',
};
