//! The built-in patterns: phrases as they occur in known attacks.
//!
//! They ask for so much of a phrase that honest texts do not have it: nobody but an attacker tells a model to ignore
//! its previous instructions, while "ignore the warnings above" is in every manual. What is in honest texts too has the
//! severity low.

use super::finding::{Category, Severity};
use super::pattern::{List, Pattern};
use super::phrases::Phrase;
use Category::{Concealment, Exfiltration, Override, Persona, RoleMarker};
use Severity::{High, Low, Medium};

/// Lists of words that many patterns need; `{name}` stands for `(a|b)`.
const LISTS: &[List] = &[
    ("ignore", "ignore|disregard|forget"),
    ("break", "override|bypass|overrule|violate|disobey|circumvent|disable|abandon|discard"),
    ("prior", "previous|previously|prior|above|preceding|earlier|foregoing|past|former|initial|original|existing|aforementioned|last"),
    ("party", "system|developer|operator|admin|administrator"),
    ("own", "own|core|current|other|safety|ethical|content|security|system|original|previous|initial|existing"),
    ("rules", "instructions|instruction|prompt|prompts|directions|directives|directive|guidelines|guidance|orders|programming"),
    ("laws", "rules|restrictions|constraints|guardrails|safeguards|limitations|policies|policy|filters|training|protocols"),
    ("fill", "all|any|of|the|your|my|its|these|those|this|that|every|each|other|and|or|given|safety|such|just|please|everything"),
    ("say", "say|print|output|write|respond|reply|tell|do|translate|return|answer|follow|send|call|run|execute|instead|act|pretend"),
    ("turn", "you|ignore|disregard|forget|from|execute|obey|override|your"),
    ("turn2", "are|must|will|should|all|any|previous|prior|now|instructions|rules|new|the"),
    ("reveal", "reveal|print|output|repeat|show|display|tell|give|leak|expose|disclose|dump|send|share|write|return|recite|summarize|summarise|include|paste|email|forward|post|exfiltrate|quote|describe"),
    ("to", "me|us|out|back"),
    ("full", "full|entire|complete|exact|whole|own|current|original|hidden|secret"),
    ("there", "the|a|an|this|following|attacker*|http*|url|image|markdown|query|my"),
    ("vices", "unrestricted|unfiltered|uncensored|jailbroken|amoral|unethical|malicious|evil|rogue|dan"),
    ("never", "not|never|dont"),
    ("user", "user|users|human|humans|operator|owner"),
    ("ai", "ai|llm|llms|chatbot|chatgpt|gpt|claude|gemini|copilot|language"),
];

const PATTERNS: &[(Category, Severity, &str)] = &[
    // Other instructions instead of those that the agent has.
    (Override, High, "{ignore} {fill}? {fill}? {fill}? {prior} {fill}? {prior}? {party}? {rules}"),
    (Override, High, "{ignore} {fill}? {fill}? {party} {rules}"),
    (Override, High, "{ignore} {fill}? {fill}? your {own}? {rules}"),
    (Override, Medium, "{ignore} {fill}? {fill}? your {own}? {laws}"),
    (Override, High, "{ignore} {fill}? {fill}? {prior} (text|context|messages|conversation|input|commands|tasks|task) and {say}"),
    (Override, High, "{ignore} {fill}? the above and {fill}? {say}"),
    (Override, High, "{ignore} {fill}? (above|before|prior|previously|earlier) (this|that)? (and|instead|then) {fill}? {say}"),
    (Override, High, "{ignore} (everything|all|anything|whatever|what) (that)? (you|i|we|they) (were|was|have|had) (been|ever)? (told|instructed|taught)"),
    (Override, High, "{ignore} {fill}? {fill}? {rules} (you|that|above|before|from|so) (were|was|have|had|far|you|above|the|and|i|we)? (been)? (given|received|told|got|system|developer|operator|gave|said|instead)"),
    (Override, High, "{break} {fill}? {fill}? your {own}? {rules}"),
    (Override, High, "{break} {fill}? {fill}? your {own}? {laws}"),
    (Override, Medium, "(override|overrule|disobey|abandon|discard|neglect) {fill}? {fill}? {prior} {party}? {rules}"),
    (Override, Medium, "{never} (follow|obey|heed) {fill}? {fill}? {prior} {party}? {rules}"),
    (Override, High, "(stop|cease|not|dont|never) (follow|following|obey|obeying) {fill}? your {own}? {rules}"),
    (Override, Medium, "{prior} {rules} (are|were|is|have|has) been? (now|hereby|no)? (void|null|nullified|cancelled|canceled|revoked|superseded|overridden|suspended|irrelevant)"),
    (Override, Medium, "{prior} {rules} (do|are|is) (not|no) (longer)? (apply|valid|count|matter)"),
    (Override, Medium, "(supersede|supersedes|override|overrides|replace|replaces) {fill}? {fill}? {prior} {party}? (instructions|instruction|prompt|prompts|orders)"),
    (Override, Medium, "your (new|real|actual|true|updated) (instructions|instruction|directive|directives|objective|orders) (is|are)"),
    (Override, Low, "your (new|real|actual|true) (task|goal|role|job|purpose|mission) is"),
    (Override, Medium, "(here|these) are your (new|real|actual|updated) {rules}"),
    (Override, Medium, "(new|updated|revised) {party}? {rules} from (the|your)? (developer|developers|creator|creators|openai|anthropic|system|operator)"),
    (Override, Medium, "^ (new|updated|revised|important|urgent) {party}? (instructions|instruction|directive|task) : (you|ignore|disregard|forget|send|call|reveal|output|print)"),
    (Override, Low, "^ (new|updated|revised) (instructions|instruction|task) :"),
    (Override, Medium, "^ (system|admin|administrator|developer|emergency|security|priority) override :"),
    (Override, Medium, "instead of (following|answering|doing|completing) {fill}? {prior} (instructions|request|prompt|question|task) * (say|output|print|send|call|run|you)"),
    (Override, Medium, "{ignore} the? (users|user|humans|human) {prior}? (request|question|query|instructions|instruction|task|message|prompt)"),
    // Languages other than English.
    (Override, High, "(ignoriere|ignorieren|vergiss|vergessen|missachte|missachten) sie? bitte? (alle|sämtliche)? (die|deine|ihre|meine)? (vorherigen|bisherigen|vorigen|obigen|früheren|vorhergehenden|vorangegangenen|ursprünglichen) (anweisungen|anweisung|instruktionen|befehle|vorgaben|regeln|prompts)"),
    (Override, High, "(ignore|ignorez|ignorer|oublie|oubliez|oublier) (toutes|tous|toute)? (les|tes|vos|mes)? (instructions|consignes|directives|règles|ordres) (précédentes|précédents|antérieures|initiales|ci)"),
    (Override, High, "(ignora|ignore|ignorar|olvida|olvide|olvidar|omite) (todas|todo|toda)? (las|tus|sus|mis)? (instrucciones|indicaciones|órdenes|reglas|directrices) (anteriores|previas|iniciales|precedentes)"),
    (Override, High, "(ignora|ignorare|ignorate|dimentica|dimenticate) (tutte|tutti)? (le|tue)? tue? (istruzioni|indicazioni|direttive|regole) (precedenti|iniziali|anteriori)"),
    (Override, High, "(ignore|ignora|ignorar|esqueça|esquece|desconsidere) (todas|todos)? (as|suas)? (instruções|orientações|diretrizes|regras) (anteriores|prévias|iniciais)"),
    (Override, High, "(negeer|vergeet) (alle|alles)? (de|je|jouw|uw)? (voorgaande|vorige|eerdere|bovenstaande) (instructies|opdrachten|aanwijzingen|regels)"),
    (Override, High, "(игнорируй|игнорируйте|игнорировать|забудь|забудьте) (все|всё)? (свои|твои|ваши)? (предыдущие|прошлые|прежние) (инструкции|указания|команды|правила)"),
    (Override, High, "忽 略 * (前|上|先) * 指 (令|示)"),
    (Override, High, "(前|上) * 指 示 を? (無|忘) (視|れ)"),
    (Override, High, "(前|上) * 命 令 を? (無|忘) (視|れ)"),
    // Another role.
    (Persona, High, "you are now (a|an|the|my|called|named)? (completely|totally|fully|an)? {vices}"),
    (Persona, Medium, "you are now (a|an|the|my|called|named)? * (chatgpt|gpt|hacker|jailbroken|llm)"),
    (Persona, Medium, "you are (no|not) longer (an|a|the)? (ai|assistant|chatbot|chatgpt|claude|gemini|language)"),
    (Persona, Medium, "no longer (bound|restricted|limited|constrained|governed) by (any|your|these|those|openai|openais|anthropic|anthropics|ethical|moral) * (guidelines|restrictions|policies|programming|ethics|safety|instructions|filters|limitations|rules)"),
    (Persona, Low, "you are now (a|an|the|my|in|called|known)"),
    (Persona, High, "you are now (in|entering) (god|jailbreak|dan|unrestricted|sudo|evil|unfiltered) mode"),
    (Persona, Low, "you are now (in|entering) (developer|debug|admin|maintenance|test|privileged|root) mode"),
    (Persona, Medium, "(enter|enable|activate|switch|engage) (to|into)? the? (god|jailbreak|dan|unrestricted|unfiltered|uncensored) mode"),
    (Persona, Medium, "(dan|jailbreak|unrestricted|uncensored) mode (enabled|activated|engaged|on)"),
    (Persona, Medium, "dan * do anything now"),
    (Persona, High, "(pretend|imagine|act|behave|roleplay) * (no|without|free) (of|from|any)? (any|all|ethical|moral|safety)? (restrictions|limitations|guidelines|filters|filter|filtering|ethics|censorship|safeguards)"),
    (Persona, Medium, "(act|pose|respond|answer|speak|roleplay) as (a|an|the|my|if)? you? (are|were)? (an|a)? {vices}"),
    (Persona, Medium, "from now on * you (will|must|are|should|shall) (to|only|always)? (act|pretend|behave|obey|ignore|roleplay|disregard)"),
    (Persona, Low, "from now on * you (will|must|are|should|shall)"),
    (Persona, Medium, "from now on (you|always|only)? (ignore|disregard|obey|forget) (me|all|any|your|the|every|that|everything)"),
    // Other parts of the conversation.
    (RoleMarker, Low, "^ system (prompt|message)? :"),
    (RoleMarker, Low, "^ (human|assistant|user) :"),
    (RoleMarker, Medium, "^ (system|developer|admin) (prompt|message|note|notice|instruction|instructions|update|alert|command)? : {turn} {fill}? {turn2}"),
    (RoleMarker, Medium, "system (prompt|message|instruction|instructions) : {turn} {fill}? {turn2}"),
    (RoleMarker, Medium, "^ (human|user|assistant) : {ignore} {fill}? {turn2}"),
    (RoleMarker, Medium, "(begin|start|end) of? the? (new|hidden)? {party} (prompt|message|messages|instructions|instruction|override|directive|directives)"),
    (RoleMarker, Low, "begin system"),
    (RoleMarker, Medium, "end of (the|user|tool)? (document|input|output|context|results|page|data|text) * (new|real|actual) {party}? (instructions|instruction|prompt|task)"),
    (RoleMarker, Medium, "i am your (actual|real)? (developer|creator|programmer)"),
    (RoleMarker, Medium, "this is your (developer|creator|programmer|developers|creators|administrator) speaking"),
    (RoleMarker, Medium, "(note|message|instruction|instructions|attention|notice|important|hey|dear) (to|for)? (all|any|the)? {ai} (models|model|agents|agent|assistants|assistant|systems|reviewers|reviewer|summarizers|crawlers)? : (you|please|ignore|disregard|when|if|do|before|send|call|this)"),
    (RoleMarker, Medium, "if you are (a|an|the)? large? {ai} * (reading|processing|summarizing|summarising|parsing|analyzing|analysing|reviewing|evaluating|grading|scraping) (this|it)"),
    // The system prompt, and secrets.
    (Exfiltration, High, "{reveal} to? {to}? (all|any|with)? of? your {full}? (system|initial|hidden|secret|original|internal|confidential|developer) (prompt|prompts|instructions|instruction|message|rules)"),
    (Exfiltration, Medium, "(reveal|leak|repeat|disclose|recite|expose|exfiltrate|tell) to? {to}? all? of? the {full}? (system|initial|hidden|secret|developer) (prompt|prompts|instructions|instruction)"),
    (Exfiltration, Medium, "what (is|are|was|were) your {full}? (system|initial|hidden|secret|original) (prompt|prompts|instructions|message|rules)"),
    (Exfiltration, Medium, "(repeat|print|output|recite|echo) {to}? (all|everything|the)? of? the? (words|text|content|contents|everything|instructions) (above|before) (this|that)? (verbatim|starting|word|including|exactly|in|message|prompt)"),
    (Exfiltration, Medium, "(repeat|print|output|recite|echo) (everything|all) (above|before) (this|that)? (verbatim|starting|word|including|exactly|in|message|prompt)"),
    (Exfiltration, Low, "{reveal} to? {to}? (everything|the) (text|words|content)? above"),
    (Exfiltration, Medium, "{reveal} to? {to}? (all|the)? of? your (instructions|prompt|guidelines|directives) (verbatim|word|exactly|above|now)"),
    (Exfiltration, Medium, "(reveal|leak|disclose|expose|exfiltrate|dump) {to}? (all|any)? of? your (own)? (secret|secrets|confidential|hidden|internal|private) (instructions|information|data|prompt|rules|key|keys|tokens|variables)"),
    (Exfiltration, High, "(append|include|add|put|embed|encode|insert|attach|send|post|forward|exfiltrate|upload|leak|transmit|email) {fill}? * (conversation|chat|message) (history|log|context|transcript|contents|so) * (to|in|into|as|at|via) {there}"),
    (Exfiltration, Medium, "(append|include|put|embed|encode|insert) * (secrets|users|credentials|passwords|conversation|prompt) * (image|markdown) (url|link|image)"),
    (Exfiltration, High, "(send|post|forward|upload|exfiltrate|leak|transmit|email) {fill}? {fill}? (users|user) (private|personal|confidential|secret|api)? (emails|credentials|passwords|password|files|messages|inbox|contacts|secrets|keys|key|tokens) * to {there}"),
    (Exfiltration, Medium, "(exfiltrate|leak|steal) {fill}? {fill}? (users|user|api|secret|private|environment|credentials|session) (data|keys|key|variables|tokens|credentials|messages|secrets|emails|information|cookies) (to|via|and|now)"),
    // The user shall not know.
    (Concealment, Medium, "{never} tell the {user}"),
    (Concealment, Medium, "{never} (mention|reveal|disclose|show|report|say|explain|display) (this|that|these|it|them|anything|any)? {fill}? (instruction|instructions|message|text|note|action|step)? to (the|your) {user}"),
    (Concealment, Medium, "{never} (inform|alert|notify|warn) the {user} (about|of|that) (this|these|you|it)"),
    (Concealment, High, "{never} let the {user} (know|notice|see|find)"),
    (Concealment, Medium, "(keep|hide) (this|these|it|that) (instruction|instructions|message|action|step)? (secret|hidden|confidential)? from the {user}"),
    (Concealment, Medium, "the {user} (must|should|may) (not|never) (know|notice|learn|find|be)? (aware|told|informed|out|about|of)? (this|of|about|it|these)"),
    (Concealment, Medium, "without (telling|informing|alerting|notifying|mentioning) (it|this|that|anything)? to? the {user} (about|of|that|and) (this|it|these|you|then|send|call|run)"),
    (Concealment, Medium, "{never} mention (this|these|that|the) (instruction|instructions|message|prompt|injection|note|directive)"),
];

/// The built-in phrases.
pub fn phrases() -> impl Iterator<Item = Phrase> {
    PATTERNS.iter().map(|(category, severity, text)| Phrase {
        pattern: Pattern::with_lists(text, LISTS).unwrap_or_else(|e| panic!("{text}: {e}")),
        category: *category,
        severity: *severity,
    })
}
