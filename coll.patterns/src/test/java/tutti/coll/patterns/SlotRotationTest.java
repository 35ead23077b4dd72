package tutti.coll.patterns;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SlotRotationTest {
    @Test
    void shouldUseEverySlotInTurnAfterItsLastUsers() {
        final SlotRotation rotation = new SlotRotation(2);
        final int first = rotation.next();
        assertArrayEquals(Dependencies.NONE, rotation.after(first));
        rotation.usedBy(first, 7, 8);
        final int second = rotation.next();
        assertEquals(1, Math.abs(first - second));
        assertArrayEquals(Dependencies.NONE, rotation.after(second));
        assertEquals(first, rotation.next());
        assertArrayEquals(new int[] {7, 8}, rotation.after(first));
    }
}
