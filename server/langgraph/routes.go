package langgraph

import (
	"github.com/agenthost/agenthost/server/auth"
	"github.com/agenthost/agenthost/server/langgraph/internal/protocol"
)

func (h *Handler) serverRoutes() []route {
	return []route{
		{"GET /ok", "", h.ok, describe("ok", "Say whether the server works").answers(typed[okDocument]()).open().fails(503)},
		{"GET /info", "", h.info, describe("info", "Say what the server is").answers(typed[infoDocument]()).open()},
	}
}

func (h *Handler) costRoutes() []route {
	return []route{
		{"GET /costs", "", h.costs, describe("readCosts", "Say what the runs of the owner have cost").
			query(dayParameter).answers(typed[costsDocument]()).fails(422)},
		{"GET /costs/owners", auth.ScopeAdmin, h.ownersCosts, describe("readCostsOfOwners", "List what the runs of all owners have cost").
			query(dayParameter, limitParameter).answers(typed[ownersDocument]()).fails(422)},
	}
}

func (h *Handler) assistantRoutes() []route {
	return []route{
		{"POST /assistants/search", "", h.searchAssistants, describe("searchAssistants", "List assistants").
			optional(typed[assistantSearch]()).lists(typed[[]assistantDocument]())},
		{"POST /assistants/count", "", h.countAssistants, describe("countAssistants", "Count assistants").
			optional(typed[assistantSearch]()).answers(typed[int]())},
		{"POST /assistants", auth.ScopeAssistantsWrite, h.createAssistant, describe("createAssistant", "Create an assistant").
			takes(typed[assistantCreate](), "graph_id").answers(typed[assistantDocument]()).fails(404, 409)},
		{"GET /assistants/{assistant}", "", h.readAssistant, describe("readAssistant", "Read an assistant").answers(typed[assistantDocument]())},
		{"PATCH /assistants/{assistant}", auth.ScopeAssistantsWrite, h.changeAssistant, describe("changeAssistant", "Make a new version of an assistant").
			takes(typed[assistantChange]()).answers(typed[assistantDocument]()).fails(409)},
		{"DELETE /assistants/{assistant}", auth.ScopeAssistantsWrite, h.deleteAssistant, describe("deleteAssistant", "Delete an assistant").
			query(flagParameter("delete_threads", "Whether the threads of its runs are deleted too")).fails(409)},
		{"POST /assistants/{assistant}/versions", "", h.assistantVersions, describe("listVersions", "List the versions of an assistant").
			optional(typed[versionSearch]()).answers(typed[[]assistantDocument]())},
		{"POST /assistants/{assistant}/latest", auth.ScopeAssistantsWrite, h.useAssistantVersion, describe("useVersion", "Use a version of an assistant").
			takes(typed[versionChoice](), "version").answers(typed[assistantDocument]()).fails(409)},
		{"GET /assistants/{assistant}/graph", "", h.assistantGraph, describe("readGraph", "Read the program of an agent as a graph").
			byName().query(ignored("xray")).answers(typed[graphDocument]())},
		{"GET /assistants/{assistant}/schemas", "", h.assistantSchemas, describe("readSchemas", "Read the JSON Schemas of an agent").
			byName().answers(typed[schemasDocument]())},
		{"GET /assistants/{assistant}/subgraphs", "", h.assistantSubgraphs, describe("listSubgraphs", "List the subgraphs of an agent: there are none").
			byName().query(ignored("recurse")).answers(typed[struct{}]())},
		{"GET /assistants/{assistant}/subgraphs/{namespace}", "", h.assistantSubgraphs, describe("stepSubgraphs", "List subgraphs of a step: there are none").
			byName().text("namespace").query(ignored("recurse")).answers(typed[struct{}]())},
	}
}

func (h *Handler) threadRoutes() []route {
	return []route{
		{"POST /threads", auth.ScopeThreads, h.createThread, describe("createThread", "Create a thread").
			optional(typed[threadCreate]()).answers(typed[threadDocument]()).fails(409)},
		{"POST /threads/search", auth.ScopeThreads, h.searchThreads, describe("searchThreads", "List threads").
			optional(typed[threadSearch]()).lists(typed[[]threadDocument]())},
		{"POST /threads/count", auth.ScopeThreads, h.countThreads, describe("countThreads", "Count threads").
			optional(typed[threadSearch]()).answers(typed[int]())},
		{"POST /threads/prune", auth.ScopeThreads, h.pruneThreads, describe("pruneThreads", "Delete threads that have no run").
			takes(typed[threadPrune]()).answers(typed[prunedDocument]())},
		{"GET /threads/{thread}", auth.ScopeThreads, h.readThread, describe("readThread", "Read a thread").answers(typed[threadDocument]())},
		{"PATCH /threads/{thread}", auth.ScopeThreads, h.changeThread, describe("changeThread", "Change a thread").
			takes(typed[threadChange]()).answers(typed[threadDocument]())},
		{"DELETE /threads/{thread}", auth.ScopeThreads, h.deleteThread, describe("deleteThread", "Delete a thread").fails(409)},
		{"POST /threads/{thread}/copy", auth.ScopeThreads, h.copyThread, describe("copyThread", "Copy a thread").answers(typed[threadDocument]()).fails(409)},
		{"GET /threads/{thread}/state", auth.ScopeThreads, h.readState, describe("readState", "Read the state of a thread").
			query(ignored("subgraphs")).answers(typed[stateDocument]())},
		{"POST /threads/{thread}/state", auth.ScopeThreads, h.updateState, describe("updateState", "Change the state of a thread").
			takes(typed[stateBody]()).answers(typed[updatedDocument]()).fails(409)},
		{"GET /threads/{thread}/state/{checkpoint}", auth.ScopeThreads, h.readStateAt, describe("readStateAt", "Read the state at a checkpoint").
			text("checkpoint").query(ignored("subgraphs")).answers(typed[stateDocument]())},
		{"POST /threads/{thread}/state/checkpoint", auth.ScopeThreads, h.readStateOf, describe("readStateOf", "Read the state at the checkpoint of the body").
			takes(typed[stateQuery](), "checkpoint").answers(typed[stateDocument]())},
		{"GET /threads/{thread}/history", auth.ScopeThreads, h.readHistory, describe("readHistory", "Read the states of a thread, the newest first").
			query(limitParameter, textParameter("before", "The id of a checkpoint: only earlier states")).answers(typed[[]stateDocument]())},
		{"POST /threads/{thread}/history", auth.ScopeThreads, h.searchHistory, describe("searchHistory", "Find states of a thread, the newest first").
			optional(typed[historySearch]()).answers(typed[[]stateDocument]())},
	}
}

func (h *Handler) runRoutes() []route {
	return []route{
		{"POST /threads/{thread}/runs", auth.ScopeRuns, h.createRun, describe("createRun", "Start a run").
			takes(typed[runCreate](), "assistant_id").answers(typed[runDocument]()).headers("Content-Location").fails(402, 409)},
		{"GET /threads/{thread}/runs", auth.ScopeRuns, h.listRuns, describe("listRuns", "List the runs of a thread, the newest first").
			query(limitParameter, offsetParameter, statusParameter, selectParameter).selects(typed[[]runDocument]())},
		{"POST /threads/{thread}/runs/stream", auth.ScopeRuns, h.streaming(h.streamNew), describe("streamRun", "Start a run and follow it").
			takes(typed[runCreate](), "assistant_id").streams(runStream).fails(402, 409)},
		{"POST /threads/{thread}/runs/wait", auth.ScopeRuns, h.streaming(h.waitNew), describe("waitRun", "Start a run and wait for its end").
			takes(typed[runCreate](), "assistant_id").answers(typed[outcomeDocument]()).headers(locations...).fails(402, 409)},
		{"GET /threads/{thread}/runs/{run}", auth.ScopeRuns, h.readRun, describe("readRun", "Read a run").answers(typed[runDocument]())},
		{"DELETE /threads/{thread}/runs/{run}", auth.ScopeRuns, h.deleteRun, describe("deleteRun", "Delete a run").fails(409)},
		{"GET /threads/{thread}/runs/{run}/join", auth.ScopeRuns, h.streaming(h.joinRun), describe("joinRun", "Wait for the end of a run").
			query(cancelParameter).answers(typed[outcomeDocument]()).headers(locations...)},
		{"GET /threads/{thread}/runs/{run}/stream", auth.ScopeRuns, h.streaming(h.streamRun), describe("followRun", "Follow a run").
			query(modeParameter, cancelParameter, lastEventParameter).streams(runStream)},
		{"POST /threads/{thread}/runs/{run}/cancel", auth.ScopeRuns, h.cancelRun, describe("cancelRun", "Cancel a run").
			query(actionParameter, flagParameter("wait", "Whether the answer waits for the end of the run")).answers(typed[struct{}]()).headers(locations...)},
		{"GET /threads/{thread}/stream", auth.ScopeRuns, h.streaming(h.streamThread), describe("followThread", "Follow all runs of a thread").
			query(threadModeParameter, lastEventParameter).streams(threadStream)},
		{"GET /threads/{thread}/events", auth.ScopeThreads, h.threadEvents, describe("listEvents", "List the events of all runs of a thread, or follow them").
			query(sinceParameter, eventLimitParameter, followParameter, lastEventParameter).
			answers(typed[eventsDocument]()).orStreams(eventStream)},
		{"POST /threads/{thread}/commands", auth.ScopeRuns, h.commands, describe("sendCommand", "Send a command of the newer protocol").
			takes(typed[protocol.CommandRequest](), "id", "method").answers(typed[protocol.CommandResponse]()).fails(402)},
		{"POST /threads/{thread}/stream/events", auth.ScopeRuns, h.streaming(h.streamProtocol), describe("streamEvents", "Follow a thread, newer protocol").
			takes(typed[eventRequest](), "channels").orStreams(protocolStream)},
		{"GET /threads/{thread}/stream/events", auth.ScopeRuns, h.openSocket, describe("openSocket", "Send commands and follow events over a WebSocket").
			switches(protocolSocket).fails(426)},
		{"POST /runs", auth.ScopeRuns, h.createStateless, describe("createStatelessRun", "Start a run without a thread").
			takes(typed[runCreate](), "assistant_id").answers(typed[runDocument]()).headers("Content-Location").fails(402, 404)},
		{"POST /runs/stream", auth.ScopeRuns, h.streaming(h.streamStateless), describe("streamStatelessRun", "Start a run without a thread and follow it").
			takes(typed[runCreate](), "assistant_id").streams(runStream).fails(402, 404)},
		{"POST /runs/wait", auth.ScopeRuns, h.streaming(h.waitStateless), describe("waitStatelessRun", "Start a run without a thread and wait for its end").
			takes(typed[runCreate](), "assistant_id").answers(typed[outcomeDocument]()).headers(locations...).fails(402, 404)},
		{"POST /runs/batch", auth.ScopeRuns, h.createBatch, describe("createRuns", "Start several runs without threads").
			takes(typed[[]runCreate](), "assistant_id").answers(typed[[]runDocument]()).fails(402, 404)},
		{"POST /runs/cancel", auth.ScopeRuns, h.cancelRuns, describe("cancelRuns", "Cancel several runs").
			query(actionParameter).takes(typed[runsCancel]()).fails(404)},
		{"GET /runs/{run}/{what}", auth.ScopeRuns, h.readByID, together(
			describe("readCron", "Read a schedule").at("/runs/crons/{cron}").answers(typed[cronDocument]()),
			describe("followStatelessRun", "Follow a run by its id alone").at("/runs/{run}/stream").
				query(modeParameter, cancelParameter, lastEventParameter).streams(runStream),
			describe("joinStatelessRun", "Wait for the end of a run by its id alone").at("/runs/{run}/join").
				query(cancelParameter).answers(typed[outcomeDocument]()).headers(locations...),
		)},
	}
}

func (h *Handler) cronRoutes() []route {
	return []route{
		{"POST /runs/crons", auth.ScopeRuns, h.createCron, describe("createCron", "Create a schedule").
			takes(typed[cronBody](), "assistant_id", "schedule").answers(typed[cronDocument]()).fails(404)},
		{"POST /runs/crons/search", auth.ScopeRuns, h.searchCrons, describe("searchCrons", "List schedules").
			optional(typed[cronSearch]()).lists(typed[[]cronDocument]()).fails(404)},
		{"POST /runs/crons/count", auth.ScopeRuns, h.countCrons, describe("countCrons", "Count schedules").
			optional(typed[cronSearch]()).answers(typed[int]()).fails(404)},
		{"PATCH /runs/crons/{cron}", auth.ScopeRuns, h.changeCron, describe("changeCron", "Change a schedule").
			takes(typed[cronBody]()).answers(typed[cronDocument]())},
		{"DELETE /runs/crons/{cron}", auth.ScopeRuns, h.deleteCron, describe("deleteCron", "Delete a schedule")},
		{"POST /threads/{thread}/runs/crons", auth.ScopeRuns, h.createThreadCron, describe("createThreadCron", "Create a schedule for a thread").
			takes(typed[cronBody](), "assistant_id", "schedule").answers(typed[cronDocument]())},
	}
}

func (h *Handler) storeRoutes() []route {
	return []route{
		{"PUT /store/items", auth.ScopeStore, h.putItem, describe("putItem", "Write an item").
			takes(typed[itemPut](), "namespace", "key", "value").fails(404, 507)},
		{"GET /store/items", auth.ScopeStore, h.getItem, describe("getItem", "Read an item").
			query(namespaceParameter, needed(keyParameter)).answers(typed[*itemDocument]()).fails(404)},
		{"DELETE /store/items", auth.ScopeStore, h.deleteItem, describe("deleteItem", "Delete an item").
			query(namespaceParameter, keyParameter).optional(typed[itemDelete]()).fails(404)},
		{"POST /store/items/search", auth.ScopeStore, h.searchItems, describe("searchItems", "Find items").
			takes(typed[itemSearch]()).answers(typed[itemsDocument]()).fails(404)},
		{"POST /store/namespaces", auth.ScopeStore, h.listNamespaces, describe("listNamespaces", "List namespaces").
			optional(typed[namespaceSearch]()).answers(typed[namespacesDocument]()).fails(404)},
	}
}
