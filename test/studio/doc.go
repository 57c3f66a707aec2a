// Package studio tests the page of agenthost in Chromium, with a server and agents in the process of the test. Without a browser the tests are skipped;
// `make test-ui` fails without one, and runs those that take long, too.
//
// # The journeys
//
//	 1 from a question with approval to edited arguments, to a fork,     TestFromAQuestionToAFork (chat_test.go)
//	   to the comparison of the two branches
//	 2 approve, reject for a reason, respond in place of the tool        TestEachDecision
//	 3 an answer that is being written, and its reasoning                TestAnAnswerThatIsBeingWritten
//	 4 pictures and files of a tool                                      TestFilesOfATool
//	 5 a run that is cut, and goes on with another server                TestARunThatIsCut (cut_test.go)
//	 6 a tool that was cut off and must not run twice                    TestAToolThatWasCutOff
//	 7 a connection that breaks; a network that is gone                  TestAConnectionThatBreaks, TestWithoutTheNetwork
//	 8 a run that is stopped, and goes on                                TestARunThatIsStopped
//	 9 a plugin that faults, until its breaker opens                     TestAPluginThatFaults (fault_test.go)
//	10 an agent within an agent                                          TestAnAgentWithinAnAgent
//	11 a tool that fails                                                 TestAToolThatFails (journeys_test.go)
//	12 a hostile tool result: HTML, controls, marks of direction         TestAHostileToolResult
//	13 the step that is performed now, in the graph                      TestTheLiveStep
//	14 the keyboard alone                                                TestByTheKeyboard
//	15 at 200 %                                                          TestAtTwoHundredPercent
//	16 reduced motion                                                    TestReducedMotion
//	17 a server that wants a key                                         TestAServerThatWantsAKey
//	18 rename, search, fork and delete threads                           TestThreads
//	19 a thread that is sent to a colleague as an HTML file              TestAThreadThatIsSentAsAFile (file_test.go)
//	20 a file that is not a recording                                       TestAFileThatIsNoRecording
//	21 ten thousand events in a file, and while they happen              TestAFileWithManyEvents, TestARunWithManyEvents (many_test.go)
//	22 no barriers in any view, light and dark, says axe-core            TestNoBarriers (axe_test.go)
//
// Each journey also fails if the page throws, logs an error, or sends a request to anywhere but its own server. TestThePolicyForbidsEverythingElse tries what
// the policy of the page forbids, and TestTheFirstView measures.
//
// # More than tests
//
// Journeys take pictures, in light and dark: AGENTHOST_SHOTS=DIR keeps them all, and `make pictures` makes those of the documents (pictures_test.go).
// `make recordings` records runs for the tests of the studio's model (record_test.go).
package studio
