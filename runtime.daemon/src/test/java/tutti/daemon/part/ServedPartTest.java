package tutti.daemon.part;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.node.ExitStatus;
import tutti.runtime.inspect.RankState;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.policy.RuleTable;

/** Tests of a part of a job that is served before it is made. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ServedPartTest {
    private static final AgreedJob AGREED =
        new AgreedJob(new AgreedModules(List.of(), List.of(), Map.of(), Set.of(), RuleTable.NONE), List.of(), List.of());

    private final ScriptedPart made = new ScriptedPart();
    private final ServedPart part = new ServedPart();

    private static <T> T get(final CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldRefuseToBePreparedWithTheReasonWhenItWasCancelledBefore() {
        part.cancel("no longer wanted");
        final CallFailedException e = assertThrows(CallFailedException.class, () -> part.set(made));
        assertEquals(ExitStatus.CANCELLED, e.status());
        assertEquals("no longer wanted", e.getMessage());
        assertFalse(made.cancelled().isDone());
    }

    @Test
    void shouldRefuseASecondPartAndKeepTheFirst() throws Exception {
        part.reserve();
        part.set(made);
        final CallFailedException e = assertThrows(CallFailedException.class, part::reserve);
        assertEquals(ExitStatus.FAILED, e.status());
        assertEquals("a link has one part of a job", e.getMessage());
        part.cancel("it still is the first");
        assertEquals("it still is the first", get(made.cancelled()));
    }

    @Test
    void shouldAnswerQuestionsBeforeItIsPreparedAsAPartWithoutRanks() throws Exception {
        assertEquals(List.of(), get(part.inspect(0)));
        assertEquals(0, get(part.lastPoint()));
        part.endSpawned("nothing is spawned");
        part.set(made);
        assertFalse(made.spawnedEnded().isDone());
    }

    @Test
    void shouldRefuseOrdersBeforeItIsPrepared() {
        final CallFailedException e =
            assertInstanceOf(CallFailedException.class, assertThrows(ExecutionException.class, () -> get(part.connect(AGREED))).getCause());
        assertEquals(ExitStatus.FAILED, e.status());
        assertEquals("the part is not prepared", e.getMessage());
        assertEquals("the part is not prepared", assertThrows(IllegalStateException.class, part::start).getMessage());
        assertEquals("the part is not prepared", assertThrows(IllegalStateException.class, () -> part.checkpointAt(1)).getMessage());
    }

    @Test
    void shouldPassAllCallsToThePart() throws Exception {
        made.answer(CompletableFuture.completedFuture(7L));
        part.set(made);
        get(part.connect(AGREED));
        assertSame(AGREED, get(made.agreed()));
        part.start();
        get(made.started());
        assertEquals(List.of(30L), get(part.inspect(30)).stream().map(RankState::waitedMillis).toList());
        assertEquals(7, get(part.lastPoint()));
        part.checkpointAt(8);
        assertEquals(8, get(made.checkpoint()));
        part.endSpawned("ended");
        assertEquals("ended", get(made.spawnedEnded()));
        part.cancel("cancelled");
        assertEquals("cancelled", get(made.cancelled()));
    }
}
