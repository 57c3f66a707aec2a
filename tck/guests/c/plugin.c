// logbook watches the conversations of an agent. It records runs, counts
// messages, ends conversations that are too long, signs the model's answers,
// denies tools, and shows older messages to the model.
#include "abi.h"

#define PLUGIN MP_LIT("logbook")
#define OWN_TOOL MP_LIT("logbook_read")
#define F_RUNS MP_LIT("logbook/runs")           // [{at, run}], of the thread
#define F_MESSAGES MP_LIT("logbook/messages")   // how many the history has
#define F_CONFIRMED MP_LIT("logbook/confirmed") // the answer to the question, once there is one
#define F_DENIED MP_LIT("logbook/denied")       // tool calls of this run
#define F_RETRIES MP_LIT("logbook/retries")     // model calls of this run

#define EACH(it, list, key, value) \
	for (mp_iter it = mp_each(list); mp_next(&it, &key, &value);)

// ---- configuration

static struct {
	mp_str tag;
	int64_t limit, max_results;
	bool confirm, stamp, wrap_tools;
	mp_val deny, set_args;
} config = {
	.tag = {"logbook", 7},
	.max_results = 50,
	.stamp = true,
	.wrap_tools = true,
};

static bool denied(mp_str tool) {
	mp_str none, name;
	mp_val v;
	EACH(it, config.deny, none, v)
		if (mp_text(v, &name) && mp_same(name, tool))
			return true;
	return false;
}

// ---- Description (§6), written in canonical form

static void put_type(mp_out *o, mp_str type) {
	mp_put(o, "type");
	mp_put_str(o, type);
}

static void put_schema_of(mp_out *o, mp_str key, mp_str type) {
	mp_put_str(o, key);
	mp_put_map(o, 1);
	put_type(o, type);
}

static void put_flag(mp_out *o, mp_str key, bool preset, mp_str description) {
	mp_put_str(o, key);
	mp_put_map(o, 3);
	mp_put(o, "default");
	mp_put_bool(o, preset);
	mp_put(o, "description");
	mp_put_str(o, description);
	put_type(o, MP_LIT("boolean"));
}

static void put_number(mp_out *o, mp_str key, int64_t preset, int64_t minimum, mp_str description) {
	mp_put_str(o, key);
	mp_put_map(o, 4);
	mp_put(o, "default");
	mp_put_int(o, preset);
	mp_put(o, "description");
	mp_put_str(o, description);
	mp_put(o, "minimum");
	mp_put_int(o, minimum);
	put_type(o, MP_LIT("integer"));
}

static void put_config_schema(mp_out *o) {
	mp_put_map(o, 3);
	mp_put(o, "additionalProperties");
	mp_put_bool(o, false);
	mp_put(o, "properties");
	mp_put_map(o, 8);
	put_flag(o, MP_LIT("confirm"), false, MP_LIT("Ask once in each run whether the model may be called."));
	mp_put(o, "deny");
	mp_put_map(o, 4);
	mp_put(o, "default");
	mp_put_array(o, 0);
	mp_put(o, "description");
	mp_put(o, "Tools whose calls are answered with a refusal.");
	put_schema_of(o, MP_LIT("items"), MP_LIT("string"));
	put_type(o, MP_LIT("array"));
	put_number(o, MP_LIT("limit"), 0, 0, MP_LIT("Runs end when the history has that many messages; 0: never."));
	put_number(o, MP_LIT("max_results"), 50, 1, MP_LIT("The most that an argument named limit of a tool call may say."));
	mp_put(o, "set_args");
	mp_put_map(o, 3);
	mp_put(o, "default");
	mp_put_map(o, 0);
	mp_put(o, "description");
	mp_put(o, "Arguments that every tool call gets.");
	put_type(o, MP_LIT("object"));
	put_flag(o, MP_LIT("stamp"), true, MP_LIT("Write into the meta data of each answer of the model."));
	mp_put(o, "tag");
	mp_put_map(o, 4);
	mp_put(o, "default");
	mp_put_str(o, PLUGIN);
	mp_put(o, "description");
	mp_put(o, "Signs prompts and answers; empty: nothing is signed.");
	mp_put(o, "maxLength");
	mp_put_uint(o, 64);
	put_type(o, MP_LIT("string"));
	put_flag(o, MP_LIT("wrap_tools"), true, MP_LIT("Look at the calls of tools."));
	put_type(o, MP_LIT("object"));
}

static void put_field(mp_out *o, mp_str lifetime, mp_str name, mp_str reducer, mp_str type) {
	mp_put_map(o, 5);
	mp_put(o, "hide_input");
	mp_put_bool(o, true);
	mp_put(o, "lifetime");
	mp_put_str(o, lifetime);
	mp_put(o, "name");
	mp_put_str(o, name);
	mp_put(o, "reducer");
	mp_put_str(o, reducer);
	put_schema_of(o, MP_LIT("schema"), type);
}

static void put_capability(mp_out *o, mp_str op, mp_str reason) {
	mp_put_map(o, 2);
	mp_put(o, "op");
	mp_put_str(o, op);
	mp_put(o, "reason");
	mp_put_str(o, reason);
}

static void put_names(mp_out *o, mp_str key, uint32_t count, const mp_str *names) {
	mp_put_str(o, key);
	mp_put_array(o, count);
	for (uint32_t i = 0; i < count; i++)
		mp_put_str(o, names[i]);
}

static void put_last(mp_out *o, uint32_t count) {
	mp_put(o, "messages");
	mp_put_map(o, 1);
	mp_put(o, "last");
	mp_put_uint(o, count);
}

// put_description writes the Description as narrowed by the configuration. The
// initial configuration does not narrow it.
static void put_description(mp_out *o) {
	bool after_model = config.stamp, wrap_tools = config.wrap_tools;
	mp_put_map(o, 8);
	mp_put(o, "abi");
	mp_put_uint(o, 1);
	mp_put(o, "capabilities");
	mp_put_array(o, 2);
	put_capability(o, MP_LIT("kv.get"), MP_LIT("reads how many runs there were"));
	put_capability(o, MP_LIT("kv.put"), MP_LIT("counts the runs of all threads"));
	mp_put(o, "config_schema");
	put_config_schema(o);
	mp_put(o, "fields");
	mp_put_array(o, 5);
	put_field(o, MP_LIT("run"), F_CONFIRMED, MP_LIT("last"), MP_LIT("boolean"));
	put_field(o, MP_LIT("run"), F_DENIED, MP_LIT("add"), MP_LIT("integer"));
	put_field(o, MP_LIT("thread"), F_MESSAGES, MP_LIT("add"), MP_LIT("integer"));
	put_field(o, MP_LIT("run"), F_RETRIES, MP_LIT("add"), MP_LIT("integer"));
	put_field(o, MP_LIT("thread"), F_RUNS, MP_LIT("append"), MP_LIT("array"));
	mp_put(o, "hooks");
	mp_put_map(o, 4 + after_model + wrap_tools);
	mp_put(o, "after_agent");
	mp_put_map(o, 1);
	put_names(o, MP_LIT("reads"), 4, (mp_str[]){F_DENIED, F_MESSAGES, F_RETRIES, F_RUNS});
	if (after_model) {
		mp_put(o, "after_model");
		mp_put_map(o, 1);
		put_last(o, 8);
	}
	mp_put(o, "before_agent");
	mp_put_map(o, 1);
	put_names(o, MP_LIT("reads"), 1, (mp_str[]){F_RUNS});
	mp_put(o, "before_model");
	mp_put_map(o, 3);
	put_names(o, MP_LIT("can_jump_to"), 1, (mp_str[]){MP_LIT("end")});
	mp_put(o, "messages");
	mp_put(o, "new");
	put_names(o, MP_LIT("reads"), 2, (mp_str[]){F_CONFIRMED, F_MESSAGES});
	mp_put(o, "wrap_model_call");
	mp_put_map(o, 0);
	if (wrap_tools) {
		mp_put(o, "wrap_tool_call");
		mp_put_map(o, 1);
		put_last(o, 1); // so that it may ask for older ones
	}
	mp_put(o, "name");
	mp_put_str(o, PLUGIN);
	mp_put(o, "tools");
	mp_put_array(o, 1);
	mp_put_map(o, 4);
	mp_put(o, "description");
	mp_put(o, "Read older messages of this conversation.");
	mp_put(o, "idempotent");
	mp_put_bool(o, true);
	mp_put(o, "name");
	mp_put_str(o, OWN_TOOL);
	mp_put(o, "parameters");
	mp_put_map(o, 2);
	mp_put(o, "properties");
	mp_put_map(o, 2);
	put_number(o, MP_LIT("count"), 10, 1, MP_LIT("How many messages."));
	put_number(o, MP_LIT("from"), 0, 0, MP_LIT("Index of the first message, from 0."));
	put_type(o, MP_LIT("object"));
	mp_put(o, "version");
	mp_put(o, "1.0.0");
}

ABI_EXPORT(describe) int32_t describe(void) {
	mp_out o = abi_document();
	put_description(&o);
	return abi_result(&o);
}

static void put_error(mp_out *o, mp_str type, mp_str message) {
	mp_put_map(o, 1);
	mp_put(o, "error");
	mp_put_map(o, 2);
	mp_put(o, "message");
	mp_put_str(o, message);
	mp_put(o, "type");
	mp_put_str(o, type);
}

static int32_t refuse(mp_str message) {
	mp_out o = abi_document();
	put_error(&o, MP_LIT("config"), message);
	return abi_result(&o);
}

ABI_EXPORT(configure) int32_t configure(uint32_t len) {
	mp_val in = abi_begin(len);
	if (!mp_is(in, MP_MAP))
		return refuse(MP_LIT("the configuration cannot be read"));
	abi_keep(); // tag, deny and set_args point into it

	// The host has checked the types and filled in the defaults of the schema.
	// A key that is still missing keeps the default of the plugin.
	mp_val v;
	mp_text(mp_get(in, MP_LIT("tag")), &config.tag);
	mp_int(mp_get(in, MP_LIT("limit")), &config.limit);
	mp_int(mp_get(in, MP_LIT("max_results")), &config.max_results);
	config.confirm = mp_true(mp_get(in, MP_LIT("confirm")));
	if (mp_is(v = mp_get(in, MP_LIT("stamp")), MP_BOOL))
		config.stamp = mp_true(v);
	if (mp_is(v = mp_get(in, MP_LIT("wrap_tools")), MP_BOOL))
		config.wrap_tools = mp_true(v);
	config.deny = mp_get(in, MP_LIT("deny"));
	config.set_args = mp_get(in, MP_LIT("set_args"));

	for (uint32_t i = 0; i < config.tag.size; i++)
		if ((uint8_t)config.tag.at[i] < 0x20)
			return refuse(MP_LIT("tag: one line of text"));
	if (denied(OWN_TOOL))
		return refuse(MP_LIT("deny: logbook_read is the logbook's own tool"));
	if (mp_count(config.deny) > 0 && !config.wrap_tools)
		return refuse(MP_LIT("deny needs wrap_tools"));
	if (config.stamp && config.wrap_tools)
		return 0; // the Description of describe holds
	mp_out o = abi_document();
	put_description(&o);
	return abi_result(&o);
}

// ---- what hooks have in common

static mp_str text_of(mp_val map, mp_str key) {
	mp_str s = {"", 0};
	mp_text(mp_get(map, key), &s);
	return s;
}

static int64_t number_of(mp_val map, mp_str key) {
	int64_t i = 0;
	mp_int(mp_get(map, key), &i);
	return i;
}

static bool names(mp_val list, mp_str name) {
	mp_str none, s;
	mp_val v;
	EACH(it, list, none, v)
		if (mp_text(v, &s) && mp_same(s, name))
			return true;
	return false;
}

// field returns a field of the input. If the field was left out because of its
// size, it asks the host for it. It sets closed if the frame is closed.
static mp_val field(mp_val in, mp_str name, bool *closed) {
	mp_val v = mp_get(mp_get(in, MP_LIT("state")), name);
	if (v.size > 0 || !names(mp_get(in, MP_LIT("large")), name))
		return v;
	mp_out query = abi_document();
	mp_put_map(&query, 1);
	put_names(&query, MP_LIT("fields"), 1, &name);
	mp_val reply;
	int32_t status = abi_call(MP_LIT("state.read"), &query, &reply);
	if (status == ABI_OK)
		return mp_get(mp_get(reply, MP_LIT("state")), name);
	if (abi_closed(status)) {
		*closed = true;
		return v;
	}
	abi_line l = {.size = 0};
	abi_say(&l, name);
	abi_say(&l, MP_LIT(" cannot be read: "));
	abi_say_status(&l, status);
	abi_log(ABI_WARNING, &l);
	return v;
}

static void log_failure(int32_t level, mp_str what, mp_val reply) {
	abi_line l = {.size = 0};
	abi_say(&l, what);
	abi_say(&l, MP_LIT(" failed: "));
	abi_say(&l, abi_cut(text_of(reply, MP_LIT("type")), 64));
	abi_say(&l, MP_LIT(": "));
	abi_say(&l, abi_cut(text_of(reply, MP_LIT("message")), 800));
	abi_log(level, &l);
}

static void log_status(int32_t level, mp_str what, int32_t status) {
	abi_line l = {.size = 0};
	abi_say(&l, what);
	abi_say(&l, MP_LIT(": "));
	abi_say_status(&l, status);
	abi_log(level, &l);
}

// put_signed_meta writes the meta data of a message with ours added. A patch
// replaces meta as a whole, so it must repeat the data of others.
static void put_signed_meta(mp_out *o, mp_val in, mp_val message) {
	mp_str key;
	mp_val v;
	mp_open m = mp_open_map(o);
	EACH(it, mp_get(message, MP_LIT("meta")), key, v)
		if (!mp_same(key, PLUGIN)) {
			mp_key(o, &m, key);
			mp_put_val(o, v);
		}
	mp_key(o, &m, PLUGIN);
	mp_put_map(o, 3);
	mp_put(o, "at");
	mp_put_int(o, number_of(in, MP_LIT("now")));
	mp_put(o, "run");
	mp_put_str(o, text_of(in, MP_LIT("run")));
	mp_put(o, "tag");
	mp_put_str(o, config.tag);
	mp_close_map(o, &m);
}

// put_content_and writes a content followed by a line. Blocks keep their
// unknown keys.
static void put_content_and(mp_out *o, mp_val content, mp_str line) {
	mp_str s, none;
	mp_val v;
	if (mp_is(content, MP_ARRAY)) {
		mp_put_array(o, mp_count(content) + 1);
		EACH(it, content, none, v)
			mp_put_val(o, v);
		mp_put_map(o, 2);
		mp_put(o, "text");
		mp_put_str(o, line);
		put_type(o, MP_LIT("text"));
	} else if (mp_text(content, &s)) {
		mp_put_str2(o, s, line);
	} else {
		mp_put_str(o, line);
	}
}

static bool is_empty(mp_val content) {
	mp_str s;
	return mp_text(content, &s) ? s.size == 0 : mp_count(content) == 0;
}

static mp_str signature(abi_line *l, mp_str before, mp_str after) {
	abi_say(l, before);
	abi_say(l, config.tag);
	abi_say(l, after);
	return (mp_str){l->at, l->size};
}

// ---- node hooks

ABI_EXPORT(before_agent) int32_t before_agent(uint32_t len) {
	mp_val in = abi_begin(len);
	if (!mp_is(in, MP_MAP))
		return 0;
	bool closed = false;
	mp_val runs = field(in, F_RUNS, &closed);
	if (closed)
		return 0;
	abi_line l = {.size = 0};
	abi_say(&l, MP_LIT("run "));
	abi_say(&l, abi_cut(text_of(in, MP_LIT("run")), 200));
	abi_say(&l, MP_LIT(" begins; runs of this thread before it: "));
	abi_say_int(&l, mp_count(runs));
	abi_log(ABI_INFO, &l);

	mp_out o = abi_document();
	mp_put_map(&o, 1);
	mp_put(&o, "state");
	mp_put_map(&o, 1);
	mp_put_str(&o, F_RUNS);
	mp_put_array(&o, 1);
	mp_put_map(&o, 2);
	mp_put(&o, "at");
	mp_put_int(&o, number_of(in, MP_LIT("now")));
	mp_put(&o, "run");
	mp_put_str(&o, text_of(in, MP_LIT("run")));
	return abi_result(&o);
}

// says_yes recognizes an answer that means yes in any form.
static bool says_yes(mp_val answer) {
	mp_str s;
	if (mp_is(answer, MP_MAP))
		answer = mp_get(answer, MP_LIT("ok"));
	if (mp_text(answer, &s))
		return mp_same(s, MP_LIT("yes")) || mp_same(s, MP_LIT("y")) || mp_same(s, MP_LIT("ok"));
	return mp_true(answer);
}

static int32_t ask(int64_t messages) {
	mp_out o = abi_document();
	mp_put_map(&o, 1);
	mp_put(&o, "interrupts");
	mp_put_array(&o, 1);
	mp_put_map(&o, 2);
	mp_put(&o, "key");
	mp_put(&o, "confirm");
	mp_put(&o, "value");
	mp_put_map(&o, 2);
	mp_put(&o, "messages");
	mp_put_int(&o, messages);
	mp_put(&o, "question");
	mp_put(&o, "May the model be called?");
	return abi_result(&o);
}

ABI_EXPORT(before_model) int32_t before_model(uint32_t len) {
	mp_val in = abi_begin(len);
	if (!mp_is(in, MP_MAP))
		return 0;

	// Count the messages of the view; the field then equals the length of the
	// history.
	bool closed = false;
	int64_t known = 0, delta;
	mp_int(field(in, F_MESSAGES, &closed), &known);
	mp_val view = mp_get(in, MP_LIT("messages"));
	if (mp_true(mp_get(view, MP_LIT("reset"))))
		delta = (int64_t)mp_count(mp_get(view, MP_LIT("items"))) - known;
	else
		delta = (int64_t)mp_count(mp_get(view, MP_LIT("items"))) - (int64_t)mp_count(mp_get(view, MP_LIT("remove")));
	int64_t messages = known + delta;
	if (messages != number_of(view, MP_LIT("total"))) {
		abi_line l = {.size = 0};
		abi_say(&l, MP_LIT("counted "));
		abi_say_int(&l, messages);
		abi_say(&l, MP_LIT(" messages, the history has "));
		abi_say_int(&l, number_of(view, MP_LIT("total")));
		abi_log(ABI_DEBUG, &l);
	}

	bool ends = false, decided = false, yes = false;
	mp_str why = {"", 0};
	abi_line l = {.size = 0};
	if (config.confirm) {
		mp_val before = field(in, F_CONFIRMED, &closed);
		if (closed)
			return 0;
		if (mp_is(before, MP_BOOL)) {
			yes = mp_true(before);
		} else {
			mp_val answer = mp_get(mp_get(in, MP_LIT("answers")), MP_LIT("confirm"));
			if (mp_typeof(answer) == MP_NONE)
				return ask(messages);
			decided = true;
			yes = says_yes(answer);
		}
		if (!yes) {
			ends = true;
			why = MP_LIT("The model was not to be called.");
		}
	}
	if (closed)
		return 0;
	if (!ends && config.limit > 0 && messages >= config.limit) {
		ends = true;
		abi_say(&l, MP_LIT("The logbook is full: "));
		abi_say_int(&l, messages);
		abi_say(&l, MP_LIT(" messages of "));
		abi_say_int(&l, config.limit);
		abi_say(&l, MP_LIT("."));
		why = (mp_str){l.at, l.size};
	}
	if (!ends && !decided && delta == 0)
		return 0;

	mp_out o = abi_document();
	mp_open result = mp_open_map(&o);
	if (ends) {
		mp_key(&o, &result, MP_LIT("jump_to"));
		mp_put(&o, "end");
		mp_key(&o, &result, MP_LIT("messages"));
		mp_put_array(&o, 1);
		mp_put_map(&o, 2);
		mp_put(&o, "content");
		mp_put_str(&o, why);
		mp_put(&o, "role");
		mp_put(&o, "ai");
	}
	mp_key(&o, &result, MP_LIT("state"));
	mp_open state = mp_open_map(&o);
	if (delta != 0) {
		mp_key(&o, &state, F_MESSAGES);
		mp_put_int(&o, delta);
	}
	if (decided) {
		mp_key(&o, &state, F_CONFIRMED);
		mp_put_bool(&o, yes);
	}
	mp_close_map(&o, &state);
	mp_close_map(&o, &result);
	return abi_result(&o);
}

ABI_EXPORT(after_model) int32_t after_model(uint32_t len) {
	mp_val in = abi_begin(len);
	mp_val message = {0}, v;
	mp_str none;
	EACH(it, mp_get(mp_get(in, MP_LIT("messages")), MP_LIT("items")), none, v)
		if (mp_same(text_of(v, MP_LIT("role")), MP_LIT("ai")))
			message = v;
	mp_str id = text_of(message, MP_LIT("id"));
	if (id.size == 0)
		return 0;
	mp_out o = abi_document();
	mp_put_map(&o, 1);
	mp_put(&o, "patch");
	mp_put_array(&o, 1);
	mp_put_map(&o, 2);
	mp_put(&o, "id");
	mp_put_str(&o, id);
	mp_put(&o, "meta");
	put_signed_meta(&o, in, message);
	return abi_result(&o);
}

// count_run counts the runs of all threads in the store, if the store was
// granted. It may be called twice for a run, so the entry names the run that
// was counted last.
static int64_t count_run(mp_str run, bool *closed) {
	for (int attempt = 0; attempt < 3; attempt++) {
		mp_val entry;
		mp_out get = abi_document();
		mp_put_map(&get, 2);
		mp_put(&get, "key");
		mp_put(&get, "runs");
		mp_put(&get, "scope");
		mp_put(&get, "plugin");
		int32_t status = abi_call(MP_LIT("kv.get"), &get, &entry);
		if (abi_closed(status)) {
			*closed = true;
			return -1;
		}
		if (status != ABI_OK && status != ABI_ENOENT) {
			log_status(ABI_DEBUG, MP_LIT("runs are not counted; kv.get"), status);
			return -1;
		}
		mp_val value = mp_get(entry, MP_LIT("value")), written;
		int64_t count = number_of(value, MP_LIT("count"));
		if (status == ABI_OK && mp_same(text_of(value, MP_LIT("last")), run))
			return count;

		mp_out put = abi_document();
		mp_put_map(&put, 4);
		mp_put(&put, "if_version");
		if (status == ABI_OK)
			mp_put_val(&put, mp_get(entry, MP_LIT("version")));
		else
			mp_put_uint(&put, 0);
		mp_put(&put, "key");
		mp_put(&put, "runs");
		mp_put(&put, "scope");
		mp_put(&put, "plugin");
		mp_put(&put, "value");
		mp_put_map(&put, 2);
		mp_put(&put, "count");
		mp_put_int(&put, count + 1);
		mp_put(&put, "last");
		mp_put_str(&put, run);
		status = abi_call(MP_LIT("kv.put"), &put, &written);
		if (abi_closed(status)) {
			*closed = true;
			return -1;
		}
		if (status == ABI_OK)
			return count + 1;
		if (status != ABI_ECONFLICT) {
			log_status(ABI_INFO, MP_LIT("runs are not counted; kv.put"), status);
			return -1;
		}
	}
	abi_log_text(ABI_INFO, MP_LIT("runs are not counted: others were always faster"));
	return -1;
}

ABI_EXPORT(after_agent) int32_t after_agent(uint32_t len) {
	mp_val in = abi_begin(len), reply;
	if (!mp_is(in, MP_MAP))
		return 0;
	bool closed = false;
	mp_str run = text_of(in, MP_LIT("run"));
	mp_val runs = field(in, F_RUNS, &closed);
	int64_t all = closed ? -1 : count_run(run, &closed);
	if (closed)
		return 0;

	mp_val state = mp_get(in, MP_LIT("state"));
	mp_out event = abi_document();
	mp_put_map(&event, 2);
	mp_put(&event, "data");
	mp_open data = mp_open_map(&event);
	mp_key(&event, &data, MP_LIT("denied"));
	mp_put_int(&event, number_of(state, F_DENIED));
	mp_key(&event, &data, MP_LIT("messages"));
	mp_put_int(&event, number_of(state, F_MESSAGES));
	mp_key(&event, &data, MP_LIT("retries"));
	mp_put_int(&event, number_of(state, F_RETRIES));
	mp_key(&event, &data, MP_LIT("run"));
	mp_put_str(&event, run);
	mp_key(&event, &data, MP_LIT("runs"));
	mp_put_uint(&event, mp_count(runs));
	if (all >= 0) {
		mp_key(&event, &data, MP_LIT("runs_of_all"));
		mp_put_int(&event, all);
	}
	mp_close_map(&event, &data);
	mp_put(&event, "name");
	mp_put(&event, "logbook/end");
	int32_t status = abi_call(MP_LIT("event.emit"), &event, &reply);
	if (abi_closed(status))
		return 0;
	if (status != ABI_OK)
		log_status(ABI_WARNING, MP_LIT("event.emit"), status);

	status = abi_call(MP_LIT("budget"), 0, &reply);
	if (abi_closed(status))
		return 0;
	abi_line l = {.size = 0};
	abi_say(&l, MP_LIT("run "));
	abi_say(&l, abi_cut(run, 200));
	if (status == ABI_OK) {
		abi_say(&l, MP_LIT(" ends; calls of the host left: "));
		abi_say_int(&l, number_of(reply, MP_LIT("host_calls")));
		abi_say(&l, MP_LIT(", of next: "));
		abi_say_int(&l, number_of(reply, MP_LIT("next")));
	} else {
		abi_say(&l, MP_LIT(" ends; budget: "));
		abi_say_status(&l, status);
	}
	abi_log(ABI_INFO, &l);
	return 0;
}

// ---- older messages

// The requested messages of the history.
typedef struct {
	int64_t from, count;
	mp_val items;
	int32_t status;
} pages;

// read_pages reads the messages that the arguments request. It returns false if
// the frame is closed.
static bool read_pages(mp_val args, pages *p) {
	enum { MOST = 100 };
	*p = (pages){.from = number_of(args, MP_LIT("from")), .count = 10};
	mp_int(mp_get(args, MP_LIT("count")), &p->count);
	if (p->from < 0)
		p->from = 0;
	if (p->count < 1)
		p->count = 1;
	if (p->count > MOST)
		p->count = MOST;
	for (;; p->count = p->count / 2) {
		mp_val reply;
		mp_out query = abi_document();
		mp_put_map(&query, 2);
		mp_put(&query, "count");
		mp_put_int(&query, p->count);
		mp_put(&query, "from");
		mp_put_int(&query, p->from);
		p->status = abi_call(MP_LIT("state.read"), &query, &reply);
		p->items = mp_get(reply, MP_LIT("items"));
		if (p->status == ABI_OK)
			p->count = mp_count(p->items);
		if (p->status != ABI_ETOOBIG || p->count == 1)
			break;
	}
	return !abi_closed(p->status);
}

static void put_message_text(mp_out *o, int64_t index, mp_val message) {
	enum { MOST = 2000 };
	abi_line l = {.size = 0};
	abi_say(&l, MP_LIT("\n#"));
	abi_say_int(&l, index);
	abi_say(&l, MP_LIT(" "));
	abi_say(&l, abi_cut(text_of(message, MP_LIT("role")), 16));
	abi_say(&l, MP_LIT(": "));
	mp_put_raw(o, (mp_str){l.at, l.size});

	mp_val content = mp_get(message, MP_LIT("content")), block, v;
	mp_str s, none;
	if (mp_text(content, &s))
		mp_put_raw(o, abi_cut(s, MOST));
	else
		EACH(it, content, none, block) {
			s = text_of(block, MP_LIT("text"));
			if (s.size == 0) {
				mp_put_raw(o, MP_LIT("["));
				mp_put_raw(o, abi_cut(text_of(block, MP_LIT("type")), 64));
				mp_put_raw(o, MP_LIT("]"));
			}
			mp_put_raw(o, abi_cut(s, MOST));
		}
	EACH(it, mp_get(message, MP_LIT("tool_calls")), none, v) {
		mp_put_raw(o, MP_LIT(" -> "));
		mp_put_raw(o, abi_cut(text_of(v, MP_LIT("name")), 200));
	}
}

static void put_pages(mp_out *text, const pages *p) {
	mp_str none;
	mp_val v;
	int64_t index = p->from;
	EACH(it, p->items, none, v)
		put_message_text(text, index++, v);
	if (index == p->from)
		mp_put_raw(text, MP_LIT("\nThere are no messages there."));
}

static void put_artifact(mp_out *o, const pages *p) {
	mp_put_map(o, 2);
	mp_put(o, "count");
	mp_put_int(o, p->count);
	mp_put(o, "from");
	mp_put_int(o, p->from);
}

// own_answer adds the messages to an answer of the logbook's own tool.
// call_tool sees no messages, but a hook with a view may ask for them.
static int32_t own_answer(mp_val args, mp_val message) {
	pages p;
	if (mp_same(text_of(message, MP_LIT("status")), MP_LIT("error")) || mp_is(mp_get(message, MP_LIT("artifact")), MP_MAP))
		return 0; // it says what went wrong, or has read them after all
	if (!read_pages(args, &p))
		return 0;
	if (p.status != ABI_OK) {
		log_status(ABI_WARNING, MP_LIT("the messages cannot be read"), p.status);
		return 0;
	}
	mp_out text = abi_document();
	put_pages(&text, &p);
	mp_out o = abi_document();
	mp_put_map(&o, 1);
	mp_put(&o, "tool_message");
	mp_put_map(&o, 2);
	mp_put(&o, "artifact");
	put_artifact(&o, &p);
	mp_put(&o, "content");
	put_content_and(&o, mp_get(message, MP_LIT("content")), (mp_str){(const char *)text.at, text.size});
	o.bad |= text.bad;
	return abi_result(&o);
}

// ---- wrap hooks

ABI_EXPORT(wrap_model_call) int32_t wrap_model_call(uint32_t len) {
	mp_val in = abi_begin(len), reply;
	if (!mp_is(in, MP_MAP))
		return 0;

	mp_out change = abi_document();
	if (config.tag.size > 0) {
		bool first = is_empty(mp_get(mp_get(in, MP_LIT("request")), MP_LIT("system")));
		abi_line l = {.size = 0};
		mp_put_map(&change, 1);
		mp_put(&change, "append_system");
		mp_put_str(&change, signature(&l, first ? MP_LIT("[") : MP_LIT("\n\n["), MP_LIT("]")));
	}
	int32_t status;
	int retries = 0;
	for (;; retries++) {
		status = abi_next(config.tag.size > 0 ? &change : 0, &reply);
		if (status != ABI_FAILED || retries > 0 || !mp_true(mp_get(reply, MP_LIT("retryable"))))
			break;
		log_failure(ABI_INFO, MP_LIT("trying again: the model"), reply);
	}
	if (abi_closed(status))
		return 0;
	if (status != ABI_OK) {
		// After a refusal without an earlier outcome, the host calls next. A
		// failure, of this call or of one before a refusal, passes on. So does
		// a reply that is too large to see.
		if (status == ABI_FAILED)
			log_failure(ABI_WARNING, MP_LIT("the model"), reply);
		else
			log_status(ABI_WARNING, MP_LIT("the model: next"), status);
		return 0;
	}

	// Sign the answer: the last message with role ai, unless programs read it.
	// List all other messages too, by id, because others are dropped.
	mp_val messages = mp_get(reply, MP_LIT("messages")), v;
	mp_str none;
	uint32_t index = 0, answer = UINT32_MAX;
	EACH(it, messages, none, v) {
		if (text_of(v, MP_LIT("id")).size == 0)
			messages = (mp_val){0};
		if (mp_same(text_of(v, MP_LIT("role")), MP_LIT("ai")))
			answer = is_empty(mp_get(v, MP_LIT("content"))) ? UINT32_MAX : index;
		index++;
	}
	bool sign = config.tag.size > 0 && answer < mp_count(messages) && mp_typeof(mp_get(reply, MP_LIT("structured"))) == MP_NONE;
	if (!sign && retries == 0)
		return 0;
	mp_out o = abi_document();
	mp_open result = mp_open_map(&o);
	if (sign) {
		mp_key(&o, &result, MP_LIT("response"));
		mp_put_map(&o, 1);
		mp_put(&o, "messages");
		mp_put_array(&o, mp_count(messages));
		index = 0;
		EACH(it, messages, none, v) {
			mp_open patch = mp_open_map(&o);
			mp_key(&o, &patch, MP_LIT("id"));
			mp_put_str(&o, text_of(v, MP_LIT("id")));
			if (index++ == answer) {
				abi_line l = {.size = 0};
				mp_key(&o, &patch, MP_LIT("content"));
				put_content_and(&o, mp_get(v, MP_LIT("content")), signature(&l, MP_LIT("\n-- "), MP_LIT("")));
			}
			mp_close_map(&o, &patch);
		}
	}
	if (retries > 0) {
		mp_key(&o, &result, MP_LIT("state"));
		mp_put_map(&o, 1);
		mp_put_str(&o, F_RETRIES);
		mp_put_int(&o, retries);
	}
	mp_close_map(&o, &result);
	return abi_result(&o);
}

static int32_t deny(mp_str tool) {
	abi_line l = {.size = 0};
	abi_say(&l, MP_LIT("The tool "));
	abi_say(&l, abi_cut(tool, 200));
	abi_say(&l, MP_LIT(" may not be used here."));
	abi_log(ABI_INFO, &l);
	mp_out o = abi_document();
	mp_put_map(&o, 2);
	mp_put(&o, "state");
	mp_put_map(&o, 1);
	mp_put_str(&o, F_DENIED);
	mp_put_uint(&o, 1);
	mp_put(&o, "tool_message");
	mp_put_map(&o, 2);
	mp_put(&o, "content");
	mp_put_str(&o, (mp_str){l.at, l.size});
	mp_put(&o, "status");
	mp_put(&o, "error");
	return abi_result(&o);
}

ABI_EXPORT(wrap_tool_call) int32_t wrap_tool_call(uint32_t len) {
	mp_val in = abi_begin(len), reply;
	if (!mp_is(in, MP_MAP))
		return 0;
	mp_val call = mp_get(in, MP_LIT("call"));
	mp_str tool = text_of(call, MP_LIT("name"));
	if (denied(tool))
		return deny(tool);
	bool own = mp_same(tool, OWN_TOOL);

	mp_val args = mp_get(call, MP_LIT("args")), v;
	int64_t limit = 0;
	mp_int(mp_get(args, MP_LIT("limit")), &limit);
	mp_int(mp_get(config.set_args, MP_LIT("limit")), &limit);
	bool lower = !own && limit > config.max_results;
	bool changes = !own && (lower || mp_count(config.set_args) > 0);
	mp_out change = abi_document();
	if (changes) {
		mp_put_map(&change, 1);
		mp_put(&change, "set_args");
		mp_open set = mp_open_map(&change);
		mp_str key;
		EACH(it, config.set_args, key, v)
			if (!lower || !mp_same(key, MP_LIT("limit"))) {
				mp_key(&change, &set, key);
				mp_put_val(&change, v);
			}
		if (lower) {
			mp_key(&change, &set, MP_LIT("limit"));
			mp_put_int(&change, config.max_results);
		}
		mp_close_map(&change, &set);
	}
	int32_t status = abi_next(changes ? &change : 0, &reply);
	if (abi_closed(status))
		return 0;
	if (status == ABI_FAILED) {
		log_failure(ABI_WARNING, tool, reply);
		return 0; // the error passes on
	}
	if (status != ABI_OK) {
		log_status(ABI_WARNING, MP_LIT("the tool: next"), status);
		return 0;
	}

	mp_val message = mp_get(reply, MP_LIT("tool_message"));
	if (!mp_is(message, MP_MAP))
		return 0; // the reply could not be taken in
	if (own)
		return own_answer(args, message);
	mp_out o = abi_document();
	mp_put_map(&o, 1);
	mp_put(&o, "tool_message");
	mp_open patch = mp_open_map(&o);
	if (lower) {
		abi_line l = {.size = 0};
		abi_say(&l, MP_LIT("\n(at most "));
		abi_say_int(&l, config.max_results);
		abi_say(&l, MP_LIT(")"));
		mp_key(&o, &patch, MP_LIT("content"));
		put_content_and(&o, mp_get(message, MP_LIT("content")), (mp_str){l.at, l.size});
	}
	mp_key(&o, &patch, MP_LIT("meta"));
	put_signed_meta(&o, in, message);
	mp_close_map(&o, &patch);
	return abi_result(&o);
}

// ---- the tool

static int32_t answer(mp_str content, bool failed) {
	// A tool must answer, even if there is no memory left.
	static uint8_t space[512];
	mp_out o = {.at = space, .cap = sizeof space};
	mp_put_map(&o, 1);
	mp_put(&o, "tool_message");
	mp_put_map(&o, 2);
	mp_put(&o, "content");
	mp_put_str(&o, abi_cut(content, 400));
	mp_put(&o, "status");
	mp_put_str(&o, failed ? MP_LIT("error") : MP_LIT("success"));
	return abi_result(&o);
}

ABI_EXPORT(call_tool) int32_t call_tool(uint32_t len) {
	mp_val in = abi_begin(len);
	if (!mp_is(in, MP_MAP))
		return answer(MP_LIT("the call cannot be read"), true);
	mp_val call = mp_get(in, MP_LIT("call"));
	if (!mp_same(text_of(call, MP_LIT("name")), OWN_TOOL)) {
		mp_out o = abi_document();
		put_error(&o, MP_LIT("unknown_tool"), MP_LIT("the logbook has no such tool"));
		return abi_result(&o);
	}
	bool closed = false;
	mp_val runs = field(in, F_RUNS, &closed);
	pages p;
	if (closed || !read_pages(mp_get(call, MP_LIT("args")), &p))
		return 0;

	abi_line l = {.size = 0};
	abi_say(&l, MP_LIT("Messages noted: "));
	abi_say_int(&l, number_of(mp_get(in, MP_LIT("state")), F_MESSAGES));
	abi_say(&l, MP_LIT(", runs: "));
	abi_say_int(&l, mp_count(runs));
	mp_out text = abi_document();
	mp_put_raw(&text, (mp_str){l.at, l.size});
	if (p.status == ABI_OK) {
		put_pages(&text, &p);
	} else if (p.status != ABI_EDENIED) { // which our hook around the tool is not
		mp_put_raw(&text, MP_LIT("\nThe messages cannot be read: "));
		mp_put_raw(&text, abi_status_name(p.status));
	}

	mp_out o = abi_document();
	mp_put_map(&o, 1);
	mp_put(&o, "tool_message");
	mp_open message = mp_open_map(&o);
	if (p.status == ABI_OK) {
		mp_key(&o, &message, MP_LIT("artifact"));
		put_artifact(&o, &p);
	}
	mp_key(&o, &message, MP_LIT("content"));
	mp_put_str(&o, (mp_str){(const char *)text.at, text.size});
	mp_close_map(&o, &message);
	o.bad |= text.bad;
	int32_t said = abi_result(&o);
	return said ? said : answer(MP_LIT("those messages are too large to be read"), true);
}
