// What Google Fonts answers, so that a build needs no more than the registry of packages.
const face = "@font-face { font-family: 'Inter'; font-style: normal; font-weight: 100 900; src: local('Arial'); }";
module.exports = new Proxy({}, { get: () => face });
