/** The rules of enrollments, generated from src/schemas/enrollment-statuses.ts. Don't edit: `npm run api:types` writes this file. */
export const statusRules = {
  "pending": {
    "followedBy": {
      "active": [
        "manager"
      ],
      "cancelled": [
        "trainee",
        "manager"
      ]
    },
    "isInitial": true,
    "takesSeat": true,
    "isEnrolled": true,
    "takesPart": false,
    "isCurrent": true,
    "progressBy": [
      "manager"
    ]
  },
  "waiting": {
    "followedBy": {
      "pending": [
        "program"
      ],
      "active": [
        "program",
        "manager"
      ],
      "cancelled": [
        "trainee",
        "manager"
      ]
    },
    "isInitial": false,
    "takesSeat": false,
    "isEnrolled": true,
    "takesPart": false,
    "isCurrent": false,
    "progressBy": []
  },
  "active": {
    "followedBy": {
      "completed": [
        "manager"
      ],
      "cancelled": [
        "trainee",
        "manager"
      ]
    },
    "isInitial": true,
    "takesSeat": true,
    "isEnrolled": true,
    "takesPart": true,
    "isCurrent": true,
    "progressBy": [
      "trainee",
      "manager"
    ]
  },
  "completed": {
    "followedBy": {
      "active": [
        "manager"
      ]
    },
    "isInitial": false,
    "takesSeat": false,
    "isEnrolled": true,
    "takesPart": false,
    "isCurrent": false,
    "progressBy": []
  },
  "cancelled": {
    "followedBy": {
      "pending": [
        "trainee"
      ],
      "waiting": [
        "program"
      ],
      "active": [
        "manager"
      ]
    },
    "isInitial": false,
    "takesSeat": false,
    "isEnrolled": false,
    "takesPart": false,
    "isCurrent": false,
    "progressBy": []
  }
} as const;

export const enrollmentStatuses = ["pending","waiting","active","completed","cancelled"] as const;

/** Statuses with which managers may enroll a trainee. */
export const initialStatuses = ["pending","active"] as const;
