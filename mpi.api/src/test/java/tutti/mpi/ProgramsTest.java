package tutti.mpi;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import mpi.MPI;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import programs.Attributes;
import programs.BeforeSlices;
import programs.BufferedSends;
import programs.CancelledSends;
import programs.Communicators;
import programs.CompletedByProgram;
import programs.CompletionStages;
import programs.Declined;
import programs.Environment;
import programs.Explanations;
import programs.FileBehaviours;
import programs.FileViews;
import programs.GeneralizedRequests;
import programs.Groups;
import programs.Hints;
import programs.IntercommCollectives;
import programs.Intercomms;
import programs.Layouts;
import programs.ManyRequests;
import programs.MatchedMessages;
import programs.Messages;
import programs.Modes;
import programs.ModuleErrors;
import programs.OneSidedBehaviours;
import programs.OneSidedEpochs;
import programs.Operations;
import programs.OtherKinds;
import programs.Overloads;
import programs.PersistentRequests;
import programs.Requests;
import programs.SharedFiles;
import programs.Topologies;
import programs.Types;
import programs.Units;
import programs.UserFunctions;
import programs.Windows;
import tutti.coll.AlgorithmTable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.QueryResult;
import tutti.coll.advanced.CollException;
import tutti.coll.basic.BasicModule;
import tutti.runtime.Ranks;

/** Programs that use package mpi, on one node and on several. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ProgramsTest {

    @ParameterizedTest
    @CsvSource({"1, 1", "3, 1", "4, 2", "5, 3"})
    void shouldAccessMemoryOfOtherRanksByWindows(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, Windows.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 2", "3, 1", "4, 2", "5, 3"})
    void shouldWorkOnDataInWindows(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, OneSidedBehaviours.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 2", "3, 1", "4, 2", "5, 3"})
    void shouldAccessWindowsInEpochsOfEachKind(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, OneSidedEpochs.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "3, 1", "4, 2", "5, 3"})
    void shouldReadAndWriteFilesOfAllRanks(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, SharedFiles.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 2", "3, 1", "4, 2", "5, 3"})
    void shouldAccessFilesInEachMode(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, FileBehaviours.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 2", "3, 1", "4, 2", "5, 3"})
    void shouldAccessFilesThroughViewsOfEachKind(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, FileViews.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "5, 2"})
    void shouldGiveEachRankItsEnvironment(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, Environment.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 2"})
    void shouldExplainWhatServesEveryOperationOnEveryCommunicator(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, Explanations.class);
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "4, 2"})
    void shouldFollowTheHintsOfACommunicator(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, Hints.class);
    }

    @Test
    void shouldExplainWhyAModuleDoesNotServe() throws Exception {
        Ranks.run(2, 1, List.of(new BasicModule(), new DecliningModule()), rank -> Programs.main(rank, Declined.class));
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "3, 2"})
    void shouldRaiseTheErrorThatAModuleReports(final int ranks, final int nodes) throws Exception {
        Ranks.run(ranks, nodes, List.of(new BasicModule(), new StrictModule()), rank -> Programs.main(rank, ModuleErrors.class));
    }

    /** A module that gathers at rank 0, and cannot plan an allreduce of more than 9 numbers on rank 1. */
    private static final class StrictModule implements CollModule {
        @Override
        public QueryResult query(final CollComm comm) {
            return QueryResult.usable(50, AlgorithmTable.builder().intra(Operation.ALLREDUCE, "strict", StrictModule::plan).build());
        }

        private static void plan(final Call.Allreduce call, final Plan plan) {
            final BufferRange data = Buffer.RECV.at(0, call.bytes());
            if (plan.rank() == 1 && call.count() > 9) {
                throw new CollException(MPI.ERR_COUNT, 4700 + (int) call.count(), "too many elements: count=" + call.count() + ", max=9");
            }
            if (!call.inPlace()) {
                plan.copy(Buffer.SEND.at(0, call.bytes()), data);
            }
            if (plan.rank() > 0) {
                plan.send(data, 0);
                plan.recv(data, 0);
                return;
            }
            for (int r = 1; r < plan.size(); r++) {
                final BufferRange received = plan.scratch(call.bytes());
                plan.recv(received, r);
                plan.reduce(call.reduction(), received, data);
            }
            for (int r = 1; r < plan.size(); r++) {
                plan.send(data, r);
            }
        }
    }

    /** A module that declines every communicator. */
    private static final class DecliningModule implements CollModule {
        @Override
        public QueryResult query(final CollComm comm) {
            return new QueryResult.Declined("declines every communicator");
        }
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "2, 2", "5, 2"})
    void shouldTransferMessagesInAllModesAndTypes(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, Messages.class);
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "2, 2"})
    void shouldCompleteRequestsOneByOneAndTogether(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, Requests.class);
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "2, 2"})
    void shouldStartPersistentMessagesAgainAndAgain(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, PersistentRequests.class);
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "2, 2"})
    void shouldReceiveMatchedMessagesAndFinalizeWithoutThem(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, MatchedMessages.class);
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "2, 2"})
    void shouldCountTheSpaceOfBufferedSends(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, BufferedSends.class);
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "2, 2"})
    void shouldCancelSendsOrCompleteThem(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, CancelledSends.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 2"})
    void shouldRunGeneralizedRequests(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, GeneralizedRequests.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "2, 2"})
    void shouldRunGeneralizedRequestsThatTheProgramCompletes(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, CompletedByProgram.class);
    }

    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({"2, 1", "4, 2", "3, 3"})
    void shouldCompleteHundredsOfMixedOperationsInAnyOrder(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, ManyRequests.class);
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "2, 2"})
    void shouldRunDependentActionsOnAThreadOfTheRank(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, CompletionStages.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 1", "4, 2", "7, 3"})
    void shouldServeEveryOverloadOfTheCollectives(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, Overloads.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 1", "4, 2", "7, 3"})
    void shouldTakeArraysAndLongCountsBlockingOrNotOrPersistent(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, Modes.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "2, 2", "3, 1", "4, 2", "5, 1", "6, 2", "7, 1", "8, 2", "16, 2"})
    void shouldArrangeRanksInGridsAndGraphs(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, Topologies.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "4, 1", "5, 2"})
    void shouldCallUserFunctionsInTheFormThatTheyOverride(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, UserFunctions.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 2"})
    void shouldTransferDerivedTypesInAllMessages(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, Types.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "3, 2", "4, 1"})
    void shouldCountInTheUnitsOfTheBindings(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, Units.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 2"})
    void shouldReachDataBeforeASliceWithinItsArray(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, BeforeSlices.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 1, check, off", "2, 1, check.kinds, off", "3, 2, check, off", "3, 2, check.kinds, off"})
    void shouldTakeTheMemoryOfAnotherKindAsItIsWhereTheJobSaysSo(final int ranks, final int nodes, final String key, final String value)
        throws Exception {
        Programs.run(ranks, nodes, Map.of(key, value), OtherKinds.class);
    }

    @Test
    void shouldRefuseAnotherKindWithoutTheCheckOfCallsWhereTheJobSaysSo() {
        final Map<String, String> parameters = Map.of("check", "off", "check.kinds", "on");
        final Throwable e = assertThrows(Throwable.class, () -> Programs.run(2, 1, parameters, OtherKinds.class));
        assertTrue(Stream.iterate(e, Objects::nonNull, Throwable::getCause).anyMatch(t -> String.valueOf(t.getMessage())
            .startsWith(
                "buffer of another kind than the type: buffer=long[], type=DOUBLE, use elements of kind double or bytes; -p check.kinds=off")),
            e::toString);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 2", "3, 1", "5, 2", "8, 3"})
    void shouldReduceByEveryOperationOnEveryType(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, Operations.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 2"})
    void shouldCopyStagedBuffersBack(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, Layouts.class);
    }

    @ParameterizedTest
    @CsvSource({"4, 1", "5, 2"})
    void shouldComputeWithGroups(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, Groups.class);
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "3, 1", "7, 3"})
    void shouldCreateAndFreeCommunicators(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, Communicators.class);
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "4, 2", "6, 3"})
    void shouldCreateIntercommunicators(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, Intercomms.class);
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "3, 2", "4, 1", "5, 2", "7, 3"})
    void shouldServeEveryCollectiveBetweenTwoGroups(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, IntercommCollectives.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "3, 2"})
    void shouldKeepAttributesWithCommunicators(final int ranks, final int nodes) throws Exception {
        Programs.run(ranks, nodes, Attributes.class);
    }
}
