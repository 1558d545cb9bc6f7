// @generated automatically by Diesel CLI.

diesel::table! {
    guilds (id) {
        id -> BigInt,
        tag -> Text,
        name -> Text,
        name_folded -> Text,
        overall -> BigInt,
        pu_player_kills -> BigInt,
        pve_kills -> BigInt,
        vehicle_destructions -> BigInt,
        missions_completed -> BigInt,
        playtime -> BigInt,
        career -> BigInt,
        ships_flown -> BigInt,
        universe_time -> BigInt,
        known_members -> BigInt,
        site_member_count -> Nullable<BigInt>,
        site_logo_url -> Nullable<Text>,
        site_read_at -> Nullable<BigInt>,
        guild_image -> Nullable<Text>,
        banner_image -> Nullable<Text>,
        discord_link -> Nullable<Text>,
        views -> BigInt,
        created_at -> BigInt,
    }
}

diesel::table! {
    players (id) {
        id -> BigInt,
        handle -> Text,
        handle_folded -> Text,
        player_name -> Text,
        player_geid -> Nullable<Text>,
        citizen_record -> Nullable<Text>,
        guild_id -> Nullable<BigInt>,
        guild_rank -> Nullable<Text>,
        is_hidden -> Bool,
        feed_changes -> Integer,
        is_listed -> Bool,
        site_asked_at -> BigInt,
        profile_image -> Nullable<Text>,
        banner_image -> Nullable<Text>,
        stickers -> Nullable<Text>,
        shares_pay -> Bool,
        shares_places -> Bool,
        site_avatar_url -> Nullable<Text>,
        site_read_at -> Nullable<BigInt>,
        views -> BigInt,
        created_at -> BigInt,
    }
}

diesel::table! {
    former_handles (handle_folded, player_id) {
        handle_folded -> Text,
        player_id -> BigInt,
        handle -> Text,
        replaced_at -> BigInt,
    }
}

diesel::table! {
    sticker_grants (player_id, sticker_id) {
        player_id -> BigInt,
        sticker_id -> Text,
        granted_at -> BigInt,
    }
}

diesel::table! {
    player_baselines (player_id) {
        player_id -> BigInt,
        figures -> Text,
    }
}

diesel::table! {
    guild_rosters (guild_id) {
        guild_id -> BigInt,
        read_at -> Nullable<BigInt>,
        main_members -> BigInt,
        affiliates -> BigInt,
        unnamed -> BigInt,
        total -> BigInt,
        is_partial -> Bool,
        next_at -> BigInt,
        failures -> Integer,
        last_error -> Nullable<Text>,
    }
}

diesel::table! {
    roster_members (handle_folded) {
        handle_folded -> Text,
        guild_id -> BigInt,
        guild_rank -> Nullable<Text>,
    }
}

diesel::table! {
    player_scores (player_id) {
        player_id -> BigInt,
        handle_folded -> Text,
        is_hidden -> Bool,
        overall -> BigInt,
        pu_player_kills -> BigInt,
        pve_kills -> BigInt,
        vehicle_destructions -> BigInt,
        missions_completed -> BigInt,
        playtime -> BigInt,
        career -> BigInt,
        ships_flown -> BigInt,
        universe_time -> BigInt,
        unknown_deaths -> BigInt,
        last_active_at -> BigInt,
    }
}

diesel::table! {
    player_counters (player_id, game_mode) {
        player_id -> BigInt,
        game_mode -> SmallInt,
        player_kills -> BigInt,
        player_deaths -> BigInt,
        npc_kills -> BigInt,
        npc_deaths -> BigInt,
        vehicle_soft_death_caused -> BigInt,
        vehicle_soft_death_received -> BigInt,
        vehicle_destruction_caused -> BigInt,
        vehicle_destruction_received -> BigInt,
        vehicle_instant_destruction_caused -> BigInt,
        vehicle_instant_destruction_received -> BigInt,
    }
}

diesel::table! {
    player_days (player_id, day) {
        player_id -> BigInt,
        day -> Integer,
        pu_player_kills -> BigInt,
        pve_kills -> BigInt,
        vehicle_destructions -> BigInt,
        missions_completed -> BigInt,
        playtime -> BigInt,
        career -> BigInt,
        ships_flown -> BigInt,
        universe_time -> BigInt,
    }
}

diesel::table! {
    player_patches (patch_version, player_id) {
        patch_version -> BigInt,
        player_id -> BigInt,
        pu_player_kills -> BigInt,
        pve_kills -> BigInt,
        vehicle_destructions -> BigInt,
        missions_completed -> BigInt,
        playtime -> BigInt,
        career -> BigInt,
        ships_flown -> BigInt,
        universe_time -> BigInt,
    }
}

diesel::table! {
    weapon_use (player_id, game_mode, weapon) {
        player_id -> BigInt,
        game_mode -> SmallInt,
        weapon -> Text,
        kills -> BigInt,
    }
}

diesel::table! {
    vehicle_use (player_id, game_mode, vehicle) {
        player_id -> BigInt,
        game_mode -> SmallInt,
        vehicle -> Text,
        uses -> BigInt,
    }
}

diesel::table! {
    mission_use (player_id, contract) {
        player_id -> BigInt,
        contract -> Text,
        class -> Text,
        accepted -> BigInt,
        completed -> BigInt,
    }
}

diesel::table! {
    giver_use (player_id, giver) {
        player_id -> BigInt,
        giver -> Text,
        completed -> BigInt,
        failed -> BigInt,
        abandoned -> BigInt,
    }
}

diesel::table! {
    ships_flown (player_id, ship) {
        player_id -> BigInt,
        ship -> Text,
        entered -> BigInt,
        exited -> BigInt,
        first_at -> BigInt,
        first_patch -> Nullable<BigInt>,
        last_at -> BigInt,
    }
}

diesel::table! {
    play_sessions (player_id, kind, login_at) {
        player_id -> BigInt,
        kind -> SmallInt,
        login_at -> BigInt,
        logout_at -> Nullable<BigInt>,
        last_seen_at -> BigInt,
        patch_version -> Nullable<BigInt>,
    }
}

diesel::table! {
    users (id) {
        id -> BigInt,
        discord_id -> Text,
        discord_username -> Text,
        discord_global_name -> Nullable<Text>,
        discord_avatar -> Nullable<Text>,
        discord_discriminator -> Nullable<Text>,
        discord_email -> Nullable<Text>,
        player_id -> Nullable<BigInt>,
        guild_id -> Nullable<BigInt>,
        linked_at -> BigInt,
        last_seen_at -> BigInt,
        blocked_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    sessions (id) {
        id -> Text,
        user_id -> BigInt,
        token_id -> Text,
        device -> Text,
        created_at -> BigInt,
        refreshed_at -> BigInt,
        last_seen_at -> BigInt,
        ended_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    claims (id) {
        id -> BigInt,
        user_id -> BigInt,
        kind -> SmallInt,
        target -> Text,
        code -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    claim_attempts (user_id, attempted_at) {
        user_id -> BigInt,
        attempted_at -> BigInt,
        kind -> SmallInt,
    }
}

diesel::table! {
    uploads (id) {
        id -> BigInt,
        user_id -> BigInt,
        path -> Text,
        kind -> Text,
        bytes -> BigInt,
        is_used -> Bool,
        created_at -> BigInt,
    }
}

diesel::table! {
    ingest_keys (id) {
        id -> BigInt,
        name -> Text,
        key_hash -> Text,
        user_id -> Nullable<BigInt>,
        is_operator -> Bool,
        created_at -> BigInt,
        last_used_at -> Nullable<BigInt>,
        review_since -> Nullable<BigInt>,
        revoked_at -> Nullable<BigInt>,
        blocked_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    reader_logins (key_hash) {
        key_hash -> Text,
        code -> Text,
        name -> Text,
        network -> Text,
        state -> SmallInt,
        created_at -> BigInt,
    }
}

diesel::table! {
    unknown_lines (line) {
        line -> Text,
        patch -> Text,
        report_count -> BigInt,
        first_reported_at -> BigInt,
        last_reported_at -> BigInt,
    }
}

diesel::table! {
    logs (id) {
        id -> BigInt,
        ingest_key_id -> BigInt,
        log -> Text,
        handle -> Nullable<Text>,
        handle_folded -> Nullable<Text>,
        build -> Nullable<Text>,
        branch -> Nullable<Text>,
        channel -> Nullable<Text>,
        reader -> Nullable<Text>,
        first_at -> BigInt,
        last_at -> BigInt,
        received_at -> BigInt,
    }
}

diesel::table! {
    key_days (key_id, day) {
        key_id -> BigInt,
        day -> Integer,
        first_id -> BigInt,
        last_id -> BigInt,
        reports -> BigInt,
    }
}

diesel::table! {
    event_clock (id) {
        id -> SmallInt,
        last_id -> BigInt,
        message_count -> BigInt,
        last_change -> BigInt,
    }
}

diesel::table! {
    events (id) {
        id -> BigInt,
        identity -> Binary,
        account -> BigInt,
        fight -> Nullable<BigInt>,
        fight_of -> Nullable<BigInt>,
        identifier -> SmallInt,
        category -> SmallInt,
        event_time -> BigInt,
        event_id -> Nullable<Text>,
        game_mode -> SmallInt,
        sub_game_mode -> Nullable<Text>,
        patch_version -> Nullable<BigInt>,
        killer_id -> Nullable<BigInt>,
        victim_id -> Nullable<BigInt>,
        player_id -> Nullable<BigInt>,
        killer_npc -> Nullable<Text>,
        victim_npc -> Nullable<Text>,
        player_npc -> Nullable<Text>,
        weapon -> Nullable<Text>,
        vehicle_name -> Nullable<Text>,
        damage_type -> Nullable<Text>,
        zone -> Nullable<Text>,
        contract_id -> Nullable<Text>,
        contract_name -> Nullable<Text>,
        text -> Nullable<Text>,
        mission_id -> Nullable<Text>,
        issuer -> Nullable<Text>,
        contract_kind -> Nullable<Text>,
        outcome -> Nullable<Text>,
        seconds -> Nullable<BigInt>,
        amount -> Nullable<BigInt>,
        ingest_key_id -> Nullable<BigInt>,
        log_id -> Nullable<BigInt>,
        received_at -> Nullable<BigInt>,
        reported_sides -> SmallInt,
        sides -> SmallInt,
        state -> SmallInt,
        is_hidden -> Bool,
    }
}

diesel::table! {
    event_players (player_id, event_time, event_id) {
        player_id -> BigInt,
        event_time -> BigInt,
        event_id -> BigInt,
        category -> SmallInt,
        guild_id -> Nullable<BigInt>,
    }
}

diesel::table! {
    patches (version) {
        version -> BigInt,
        name -> Text,
        npc_kills -> BigInt,
        player_kills -> BigInt,
        vehicle_destructions -> BigInt,
        adopted_at -> Nullable<BigInt>,
        pinned_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    patch_reports (version, user_id) {
        version -> BigInt,
        user_id -> BigInt,
        reported_at -> BigInt,
    }
}

diesel::table! {
    patch_use (patch_version, kind, name) {
        patch_version -> BigInt,
        kind -> SmallInt,
        name -> Text,
        uses -> BigInt,
        completed -> BigInt,
    }
}

diesel::table! {
    moderation (id) {
        id -> BigInt,
        at -> BigInt,
        actor_id -> Nullable<BigInt>,
        action -> SmallInt,
        key_id -> Nullable<BigInt>,
        user_id -> Nullable<BigInt>,
        player_id -> Nullable<BigInt>,
        event_id -> Nullable<BigInt>,
        patch_version -> Nullable<BigInt>,
        into_player_id -> Nullable<BigInt>,
        argument -> Nullable<Text>,
        name -> Nullable<Text>,
        from_time -> Nullable<BigInt>,
        until_time -> Nullable<BigInt>,
        reason -> Text,
        undone_at -> Nullable<BigInt>,
        undone_by -> Nullable<BigInt>,
        is_applied -> Bool,
        position -> BigInt,
        last_id -> BigInt,
        done -> BigInt,
        total -> BigInt,
    }
}

diesel::table! {
    merged_reports (moderation_id, report_id) {
        moderation_id -> BigInt,
        report_id -> BigInt,
        sides -> SmallInt,
    }
}

diesel::table! {
    visits (id) {
        id -> BigInt,
        visited_at -> BigInt,
        session_id -> Text,
        kind -> Text,
        page_path -> Text,
        data -> Text,
    }
}

diesel::table! {
    visit_days (day, page_path, kind) {
        day -> Integer,
        page_path -> Text,
        kind -> Text,
        visits -> BigInt,
        total_ms -> BigInt,
    }
}

diesel::table! {
    view_salts (day) {
        day -> Integer,
        salt -> Text,
    }
}

diesel::table! {
    profile_viewers (day, viewer) {
        day -> Integer,
        viewer -> BigInt,
    }
}

diesel::table! {
    commits (id) {
        id -> Text,
        author_name -> Nullable<Text>,
        author_username -> Nullable<Text>,
        author_avatar_url -> Nullable<Text>,
        committed_at -> BigInt,
        message -> Text,
        branch -> Text,
        repository -> Text,
    }
}

diesel::table! {
    statsfeed_channels (id) {
        id -> BigInt,
        server_id -> Text,
        channel_id -> Text,
        kind -> Text,
        filter -> Text,
        board_message_id -> Nullable<Text>,
        last_event_id -> BigInt,
        disabled_reason -> Nullable<Text>,
        created_at -> BigInt,
        next_at -> BigInt,
        failures -> Integer,
        last_error -> Nullable<Text>,
        posted_at -> Nullable<BigInt>,
        board_due_at -> BigInt,
        board_count -> BigInt,
        board_digest -> Nullable<Text>,
    }
}

diesel::table! {
    statsfeed_outbox (id) {
        id -> BigInt,
        feed_id -> BigInt,
        event_ids -> Text,
        created_at -> BigInt,
        attempted_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    github_deliveries (id) {
        id -> Text,
        received_at -> BigInt,
    }
}

diesel::table! {
    webhook_positions (name) {
        name -> Text,
        last_event_id -> BigInt,
        disabled_reason -> Nullable<Text>,
    }
}

diesel::table! {
    webhook_deliveries (id) {
        id -> BigInt,
        message_id -> Text,
        webhook -> Text,
        event -> Text,
        event_ids -> Nullable<Text>,
        body -> Text,
        created_at -> BigInt,
        next_at -> BigInt,
        attempts -> Integer,
        status -> Nullable<Integer>,
        error -> Nullable<Text>,
        done_at -> Nullable<BigInt>,
        is_delivered -> Bool,
    }
}

diesel::table! {
    leases (name) {
        name -> Text,
        holder -> Text,
        expires_at -> BigInt,
        paused_until -> BigInt,
    }
}

diesel::table! {
    changes (id) {
        id -> BigInt,
        created_at -> BigInt,
        event_id -> BigInt,
        message_offset -> BigInt,
        body -> Text,
    }
}

diesel::table! {
    demo_universe (id) {
        id -> SmallInt,
        seed -> BigInt,
        players -> BigInt,
        guilds -> BigInt,
        events -> BigInt,
        key_id -> BigInt,
        created_at -> BigInt,
        filled_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    search_changes (id) {
        id -> BigInt,
        kind -> SmallInt,
        entity_id -> BigInt,
    }
}

diesel::joinable!(claim_attempts -> users (user_id));
diesel::joinable!(claims -> users (user_id));
diesel::joinable!(former_handles -> players (player_id));
diesel::joinable!(giver_use -> players (player_id));
diesel::joinable!(mission_use -> players (player_id));
diesel::joinable!(play_sessions -> players (player_id));
diesel::joinable!(player_baselines -> players (player_id));
diesel::joinable!(player_counters -> players (player_id));
diesel::joinable!(player_days -> players (player_id));
diesel::joinable!(player_patches -> players (player_id));
diesel::joinable!(player_scores -> players (player_id));
diesel::joinable!(players -> guilds (guild_id));
diesel::joinable!(guild_rosters -> guilds (guild_id));
diesel::joinable!(roster_members -> guilds (guild_id));
diesel::joinable!(sessions -> users (user_id));
diesel::joinable!(statsfeed_outbox -> statsfeed_channels (feed_id));
diesel::joinable!(sticker_grants -> players (player_id));
diesel::joinable!(users -> guilds (guild_id));
diesel::joinable!(users -> players (player_id));
diesel::joinable!(vehicle_use -> players (player_id));
diesel::joinable!(weapon_use -> players (player_id));

diesel::allow_tables_to_appear_in_same_query!(
    changes,
    claim_attempts,
    claims,
    commits,
    demo_universe,
    event_clock,
    event_players,
    events,
    former_handles,
    github_deliveries,
    giver_use,
    guild_rosters,
    guilds,
    ingest_keys,
    key_days,
    leases,
    merged_reports,
    moderation,
    logs,
    mission_use,
    patch_reports,
    patch_use,
    patches,
    play_sessions,
    player_baselines,
    player_counters,
    player_days,
    player_patches,
    player_scores,
    players,
    profile_viewers,
    reader_logins,
    roster_members,
    search_changes,
    sessions,
    ships_flown,
    statsfeed_channels,
    statsfeed_outbox,
    sticker_grants,
    unknown_lines,
    uploads,
    users,
    vehicle_use,
    view_salts,
    visit_days,
    visits,
    weapon_use,
    webhook_deliveries,
    webhook_positions,
);
