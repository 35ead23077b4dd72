package tutti.runtime.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.schedule.CallSignature.Creation;
import tutti.runtime.schedule.CallSignature.Form;

class CallSignatureTest {
    private static final long BARRIER = CallSignature.of(Operation.BARRIER, new Call.Barrier(), false);

    @ParameterizedTest
    @EnumSource(Creation.class)
    void shouldHaveASignatureForEachCreationThatNamesIt(final Creation creation) {
        final long call = CallSignature.of(creation);
        // bit 63 says that data is invalid
        assertTrue(call > 0, creation::toString);
        final MpiFailure failure = CallSignature.differ("comm 7", "rank 0", "rank 2", new long[] {call, BARRIER, 0, 0});
        assertEquals(ErrorClass.OTHER, failure.errorClass());
        assertEquals("collective calls differ on comm 7: rank 0 calls " + creation + "(), rank 2 calls barrier()", failure.getMessage());
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    void shouldNameTheFormOfACall(final Form form) {
        final String name = form == Form.BLOCKING ? "" : form.name().toLowerCase(Locale.ROOT) + " ";
        assertEquals(name + "barrier()", form + CallSignature.text(BARRIER, 0));
    }
}
