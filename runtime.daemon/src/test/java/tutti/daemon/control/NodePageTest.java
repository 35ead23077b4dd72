package tutti.daemon.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import tutti.daemon.security.ClusterSecret;
import tutti.daemon.security.Role;

class NodePageTest {
    private static final List<Role> ROLES = List.of(Role.OBSERVE, Role.RUN, Role.CHANGE);

    @Test
    void shouldKnowTheRoleOfEachTokenThatTheSecretsOfTheClusterGive() {
        final ClusterSecret secret = ClusterSecret.random();
        final NodePage page = NodePage.of(null, "a", secret);
        ROLES.forEach(r -> assertEquals(r, page.role(secret.derive(r).pageToken())));
        assertNull(page.role(secret.pageToken()), "what needs role node is not done on the page");
        assertNull(page.role(ClusterSecret.random().derive(Role.RUN).pageToken()));
        assertNull(page.role(""));
        assertTrue(page.isDerived());
        assertFalse(page.toString().contains(page.token(Role.OBSERVE)));
    }

    @Test
    void shouldMakeTokensOfItsOwnWithoutASecret() {
        final NodePage page = NodePage.of(null, "a", null);
        ROLES.forEach(r -> assertEquals(r, page.role(page.token(r))));
        assertEquals(page.token(Role.CHANGE), page.token(Role.NODE));
        assertNotEquals(page.token(Role.OBSERVE), NodePage.of(null, "a", null).token(Role.OBSERVE));
        assertFalse(page.isDerived());
    }
}
