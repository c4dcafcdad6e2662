"""Tests in which DynamoDB Local 3.3.1 does not follow AWS's documentation, and what it does.

Keys are ``test_file.py::test_name``, or ``test_file.py::test_name[parameters]`` for one case of a
test. Each of them must fail on DynamoDB Local: an entry that no longer differs is an error.
"""

from __future__ import annotations

WORDS = "Refused, but not in AWS's words."
ACCEPTS = "Accepted."
TYPES = "Converted to the right type, or answered with InternalFailure."
STATUS = "Everything is ACTIVE at once."
NO_ID = "Tables have no TableId."
NO_KIND = "Units are not told apart as read or written."
NO_METRICS = "ItemCollectionMetrics are never returned."
UNKNOWN = "The operation is unknown."
HANGS = "It never ends."  # Such a test is not run: what it starts would slow down the others.
WHOLE = "The whole attribute is returned."
NO_SIZE = "SIZE is not reserved."
LOOKS = "Refused, as by the operations on one item."
NOT_ITS = "Refused as a whole, and not for the reason of one action."

DIFFERENCES: dict[str, str] = {
    "test_capacity.py::test_another_level_is_refused": ACCEPTS,
    "test_capacity.py::test_another_metric_is_refused": ACCEPTS,
    "test_capacity.py::test_a_query_that_reads_nothing_costs_the_least": "It costs nothing.",
    "test_capacity.py::test_a_batch_get_costs_its_items_one_by_one": (
        "Items that are not there cost nothing."
    ),
    "test_capacity.py::test_a_batch_write_costs_its_writes": (
        "To delete what is not there costs two units."
    ),
    "test_capacity.py::test_a_transactional_read_costs_double": NO_KIND,
    "test_capacity.py::test_a_transactional_read_is_detailed": NO_KIND,
    "test_capacity.py::test_a_transactional_write_costs_double": (
        "12 units one by one, 6 together."
    ),
    "test_capacity.py::test_a_transactional_write_is_detailed": NO_KIND,
    "test_capacity.py::test_a_repeated_transaction_costs_a_read": NO_KIND,
    "test_capacity.py::test_a_write_says_its_item_collection": NO_METRICS,
    "test_capacity.py::test_a_batch_write_says_its_item_collections": NO_METRICS,
    "test_capacity.py::test_a_transaction_says_its_item_collections": NO_METRICS,
    "test_create_table.py::test_a_member_of_the_wrong_json_type_is_refused": TYPES,
    "test_create_table.py::test_a_body_that_is_not_an_object_is_refused": TYPES,
    "test_create_table.py::test_a_short_name_is_reported_alone": WORDS,
    "test_create_table.py::test_the_name_is_required": WORDS,
    "test_create_table.py::test_missing_members_are_reported_together": "It stops at the first.",
    "test_create_table.py::test_a_value_outside_its_enumeration_is_refused": (
        "Some are accepted, some refused in other words, one is an InternalFailure."
    ),
    "test_create_table.py::test_an_unknown_table_class_is_refused": ACCEPTS,
    "test_create_table.py::test_the_name_of_a_key_attribute_is_bounded": WORDS,
    "test_create_table.py::test_the_key_is_a_partition_key_then_a_sort_key": WORDS,
    "test_create_table.py::test_a_key_that_is_too_long_is_shown": WORDS,
    "test_create_table.py::test_both_key_attributes_must_differ[one]": WORDS,
    "test_create_table.py::test_a_definition_that_no_key_uses_is_refused": WORDS,
    "test_create_table.py::test_a_definition_that_no_index_uses_is_refused": WORDS,
    "test_create_table.py::test_an_attribute_is_defined_once": WORDS,
    "test_create_table.py::test_throughput_must_suit_the_billing_mode": (
        "Accepted on demand, and refused in other words where it lacks."
    ),
    "test_create_table.py::test_throughput_is_whole_and_positive": WORDS,
    "test_create_table.py::test_throughput_of_a_global_index_must_suit_the_billing_mode": ACCEPTS,
    "test_create_table.py::test_a_list_of_indexes_is_not_empty": (
        "No local indexes are accepted; no global ones are refused in other words."
    ),
    "test_create_table.py::test_the_attributes_of_an_index_key_must_be_defined": WORDS,
    "test_create_table.py::test_index_names_are_unique_in_the_table": WORDS,
    "test_limits.py::test_each_type_has_its_size[{'N': '-120'}-3]": "A sign takes nothing.",
    "test_limits.py::test_an_update_is_measured_by_itself": "Only the item is measured.",
    "test_limits.py::test_only_update_expressions_are_measured": "Only the item is measured.",
    "test_transact_write_items.py::test_a_key_that_lacks_something_cancels_all": NOT_ITS,
    "test_create_table.py::test_a_bad_index_name_is_refused": WORDS,
    "test_create_table.py::test_a_local_index_sorts_the_partitions_of_its_table": WORDS,
    "test_create_table.py::test_a_projection_must_make_sense": WORDS,
    "test_create_table.py::test_the_number_of_indexes_is_limited": WORDS,
    "test_create_table.py::test_the_number_of_projected_attributes_is_limited": (
        "Its limit is still 20."
    ),
    "test_create_table.py::test_a_stream_says_what_it_holds_exactly_if_it_is_enabled": WORDS,
    "test_create_table.py::test_the_reply_describes_an_on_demand_table": NO_ID,
    "test_create_table.py::test_a_new_table_is_being_created": STATUS,
    "test_create_table.py::test_class_and_protection_are_described": "It knows no table classes.",
    "test_create_table.py::test_names_that_differ_in_case_are_different": (
        "Names that differ only in case are an InternalFailure."
    ),
    "test_delete_table.py::test_a_name_that_is_not_a_string_is_refused": TYPES,
    "test_delete_table.py::test_the_name_is_required": WORDS,
    "test_delete_table.py::test_a_table_that_is_not_there_is_not_found": WORDS,
    "test_delete_table.py::test_the_reply_says_that_the_table_is_being_deleted": STATUS,
    "test_delete_table.py::test_the_reply_names_the_table": NO_ID,
    "test_describe_endpoints.py::test_unknown_members_are_ignored": UNKNOWN,
    "test_describe_endpoints.py::test_an_endpoint_is_described": UNKNOWN,
    "test_describe_table.py::test_a_name_that_is_not_a_string_is_refused": TYPES,
    "test_describe_table.py::test_a_table_that_is_not_there_is_not_found": WORDS,
    "test_describe_table.py::test_warm_throughput_is_described": "It knows no warm throughput.",
    "test_describe_table.py::test_the_description_stays_the_same": NO_ID,
    "test_describe_time_to_live.py::test_a_name_that_is_not_a_string_is_refused": TYPES,
    "test_list_tables.py::test_a_member_of_the_wrong_json_type_is_refused": TYPES,
    "test_list_tables.py::test_constraints_that_fail_are_reported_together": (
        "It stops at the first."
    ),
    "test_multi_attribute_keys.py::test_keys_that_cannot_be_are_refused[mixed]": WORDS,
    "test_multi_attribute_keys.py::test_keys_that_cannot_be_are_refused[turned]": WORDS,
    "test_multi_attribute_keys.py::test_keys_that_cannot_be_are_refused[twice]": WORDS,
    "test_multi_attribute_keys.py::test_keys_that_cannot_be_are_refused[partition]": WORDS,
    "test_multi_attribute_keys.py::test_keys_that_cannot_be_are_refused[sort]": WORDS,
    "test_query_refusals.py::test_select_must_go_with_the_projection": WORDS,
    "test_query_refusals.py::test_a_member_of_the_wrong_json_type_is_refused": TYPES,
    "test_query_refusals.py::test_all_constraints_that_fail_are_reported": "It stops at the first.",
    "test_query_refusals.py::test_the_limit_is_positive": WORDS,
    "test_query_refusals.py::test_a_bad_expression_is_refused_before_the_table_is_missed": (
        "The table is looked for first."
    ),
    "test_query_refusals.py::test_a_key_condition_of_another_shape_is_refused[nested]": WORDS,
    "test_query_refusals.py::test_a_key_condition_of_another_shape_is_refused[no pk]": WORDS,
    "test_query_refusals.py::test_a_key_condition_of_another_shape_is_refused[no sk]": WORDS,
    "test_query_refusals.py::test_a_key_value_that_no_item_can_have_is_refused[long pk]": ACCEPTS,
    "test_query_refusals.py::test_bad_placeholders_are_refused[number]": WORDS,
    "test_query_refusals.py::test_a_start_that_is_no_key_of_the_partition_is_refused[part]": WORDS,
    "test_query_refusals.py::test_a_start_that_is_no_key_of_the_partition_is_refused[type]": WORDS,
    "test_query_refusals.py::test_a_start_that_is_no_key_of_the_partition_is_refused[more]": WORDS,
    "test_query.py::test_a_page_ends_at_a_megabyte_before_the_filter": (
        "What the filter drops does not count towards the megabyte."
    ),
    "test_scan.py::test_partitions_come_in_the_order_of_their_hash": "By another hash.",
    "test_scan.py::test_a_member_of_the_wrong_json_type_is_refused": TYPES,
    "test_scan.py::test_all_constraints_that_fail_are_reported": "It stops at the first.",
    "test_scan.py::test_segments_must_make_sense": WORDS,
    "test_scan.py::test_a_start_that_is_no_key_is_refused[part]": WORDS,
    "test_scan.py::test_a_start_that_is_no_key_is_refused[type]": WORDS,
    "test_scan.py::test_a_start_that_is_no_key_is_refused[more]": WORDS,
    "test_scan.py::test_a_start_in_another_segment_is_refused": WORDS,
    "test_update_table.py::test_a_member_of_the_wrong_json_type_is_refused": TYPES,
    "test_update_table.py::test_something_must_change": WORDS,
    "test_update_table.py::test_constraints_of_an_action_are_checked": (
        "Refused in other words, as ResourceNotFoundException or as InternalFailure."
    ),
    "test_update_table.py::test_changes_that_do_not_go_together_are_refused": (
        "Accepted, or refused in other words."
    ),
    "test_update_table.py::test_an_index_update_is_one_action[none]": WORDS,
    "test_update_table.py::test_an_index_update_is_one_action[two]": "An InternalFailure.",
    "test_update_table.py::test_an_index_that_is_not_there_is_not_deleted": WORDS,
    "test_update_table.py::test_a_local_index_is_not_deleted": WORDS,
    "test_update_table.py::test_the_key_of_a_new_index_must_be_defined[known]": ACCEPTS,
    "test_update_table.py::test_the_key_of_a_new_index_must_be_defined[in part]": ACCEPTS,
    "test_update_table.py::test_definitions_are_added_to_those_there_are": (
        "A definition of another type is refused."
    ),
    "test_update_table.py::test_an_on_demand_table_takes_no_throughput": ACCEPTS,
    "test_update_table.py::test_a_new_index_of_a_provisioned_table_needs_throughput": (
        "An InternalFailure."
    ),
    "test_update_table.py::test_the_same_throughput_is_refused": WORDS,
    "test_update_table.py::test_the_projection_of_a_new_index_must_make_sense": WORDS,
    "test_update_table.py::test_the_table_is_updating": STATUS,
    "test_update_table.py::test_throughput_changes": "The time of the last decrease stays 1970.",
    "test_update_table.py::test_the_billing_mode_changes": WORDS,
    "test_update_table.py::test_the_reply_shows_the_index_being_created": STATUS,
    "test_update_table.py::test_items_that_violate_a_new_key_are_left_out": HANGS,
    "test_update_table.py::test_the_table_class_changes": "It knows no table classes.",
    "test_update_time_to_live.py::test_a_member_of_the_wrong_json_type_is_refused": TYPES,
    "test_update_time_to_live.py::test_a_specification_is_whole": WORDS,
    "test_update_time_to_live.py::test_another_attribute_is_refused": WORDS,
    "test_put_item.py::test_a_member_of_the_wrong_json_type_is_refused": TYPES,
    "test_put_item.py::test_an_attribute_value_of_the_wrong_json_type_is_refused": TYPES,
    "test_put_item.py::test_what_is_not_base64_is_refused": "An InternalFailure.",
    "test_put_item.py::test_all_that_is_missing_is_reported": WORDS,
    "test_put_item.py::test_all_constraints_that_fail_are_reported": "It stops at the first.",
    "test_put_item.py::test_a_table_that_is_not_there_is_not_found": (
        "The table is looked for before an expression is read."
    ),
    "test_put_item.py::test_an_item_has_the_key_of_its_table": WORDS,
    "test_put_item.py::test_an_index_key_has_its_type_and_is_not_empty": WORDS,
    "test_put_item.py::test_of_several_indexes_the_first_by_name_is_reported": WORDS,
    "test_put_item.py::test_item_collections_are_measured_where_there_are_local_indexes": (
        NO_METRICS
    ),
    "test_get_item.py::test_a_member_of_the_wrong_json_type_is_refused": TYPES,
    "test_get_item.py::test_what_is_missing_is_reported": WORDS,
    "test_get_item.py::test_a_key_has_the_schema_of_the_table": WORDS,
    "test_get_item.py::test_a_table_that_is_not_there_is_not_found": (
        "The table is looked for before an expression is read."
    ),
    "test_get_item.py::test_a_level_of_capacity_that_does_not_exist_is_refused": ACCEPTS,
    "test_update_item.py::test_a_member_of_the_wrong_json_type_is_refused": TYPES,
    "test_update_item.py::test_all_constraints_that_fail_are_reported": "It stops at the first.",
    "test_update_item.py::test_a_key_has_the_schema_of_the_table": WORDS,
    "test_update_item.py::test_a_table_that_is_not_there_is_not_found": (
        "The table is looked for before an expression is read."
    ),
    "test_update_item.py::test_an_index_key_has_its_type_and_is_not_empty[global]": WORDS,
    "test_update_item.py::test_an_index_key_has_its_type_and_is_not_empty[local]": ACCEPTS,
    "test_update_item.py::test_an_index_key_has_its_type_and_is_not_empty[null]": WORDS,
    "test_update_item.py::test_an_index_key_has_its_type_and_is_not_empty[long]": WORDS,
    "test_update_item.py::test_an_update_that_only_takes_away_makes_no_item": "It makes one.",
    "test_update_item.py::test_a_nested_update_returns_only_its_path[set]": WHOLE,
    "test_update_item.py::test_a_nested_update_returns_only_its_path[fresh]": WHOLE,
    "test_update_item.py::test_a_nested_update_returns_only_its_path[remove]": WHOLE,
    "test_update_item.py::test_a_nested_update_returns_only_its_path[element]": WHOLE,
    "test_update_item.py::test_a_nested_update_returns_only_its_path[deep]": WHOLE,
    "test_update_item.py::test_item_collections_are_measured_where_there_are_local_indexes": (
        NO_METRICS
    ),
    "test_delete_item.py::test_a_member_of_the_wrong_json_type_is_refused": TYPES,
    "test_delete_item.py::test_all_constraints_that_fail_are_reported": "It stops at the first.",
    "test_delete_item.py::test_a_key_has_the_schema_of_the_table": WORDS,
    "test_delete_item.py::test_a_table_that_is_not_there_is_not_found": (
        "The table is looked for before an expression is read."
    ),
    "test_delete_item.py::test_an_item_is_deleted_and_deleting_it_again_does_nothing": (
        "The capacity is told unasked when there was nothing to delete."
    ),
    "test_delete_item.py::test_item_collections_are_measured_where_there_are_local_indexes": (
        NO_METRICS
    ),
    "test_batch_get_item.py::test_a_member_of_the_wrong_json_type_is_refused": TYPES,
    "test_batch_get_item.py::test_there_is_something_to_get": WORDS,
    "test_batch_get_item.py::test_a_hundred_keys_are_the_most": WORDS,
    "test_batch_get_item.py::test_a_key_is_asked_for_once": (
        "Numbers that are written differently are different keys."
    ),
    "test_batch_get_item.py::test_a_key_has_the_schema_of_the_table": WORDS,
    "test_batch_get_item.py::test_capacity_is_returned_by_table": (
        "Items that are not there cost nothing."
    ),
    "test_batch_get_item.py::test_no_index_is_reported": "Items that are not there cost nothing.",
    "test_batch_write_item.py::test_a_member_of_the_wrong_json_type_is_refused": TYPES,
    "test_batch_write_item.py::test_there_is_something_to_write": WORDS,
    "test_batch_write_item.py::test_a_put_has_an_item_and_a_delete_a_key": WORDS,
    "test_batch_write_item.py::test_a_bad_request_refuses_the_whole[missing]": WORDS,
    "test_batch_write_item.py::test_a_bad_request_refuses_the_whole[type]": WORDS,
    "test_batch_write_item.py::test_a_bad_request_refuses_the_whole[part]": WORDS,
    "test_batch_write_item.py::test_a_bad_request_refuses_the_whole[more]": WORDS,
    "test_batch_write_item.py::test_capacity_is_returned_by_table": (
        "To delete what is not there costs two units."
    ),
    "test_batch_write_item.py::test_item_collections_are_measured_by_table": NO_METRICS,
    "test_transact_write_items.py::test_a_member_of_the_wrong_json_type_is_refused": TYPES,
    "test_transact_write_items.py::test_missing_parts_are_reported[Update-UpdateExpression]": (
        ACCEPTS
    ),
    "test_transact_write_items.py::test_a_bad_expression_refuses_the_whole[reserved]": NO_SIZE,
    "test_transact_write_items.py::test_placeholders_without_an_expression_are_ignored": (LOOKS),
    "test_transact_write_items.py::test_a_token_has_1_to_36_characters[empty]": ACCEPTS,
    "test_transact_write_items.py::test_a_failed_condition_cancels_all": (
        "The sentence ends with a full stop."
    ),
    "test_transact_write_items.py::test_an_update_that_cannot_be_made_is_a_reason[missing]": (
        NOT_ITS
    ),
    "test_transact_write_items.py::test_an_update_that_cannot_be_made_is_a_reason[operand]": (
        NOT_ITS
    ),
    "test_transact_write_items.py::test_an_update_that_cannot_be_made_is_a_reason[path]": NOT_ITS,
    "test_transact_write_items.py::test_an_update_that_cannot_be_made_is_a_reason[add]": NOT_ITS,
    "test_transact_write_items.py::test_an_update_that_cannot_be_made_is_a_reason[overflow]": (
        NOT_ITS
    ),
    "test_transact_write_items.py::"
    "test_a_key_that_does_not_fit_cancels_the_transaction[missing]": NOT_ITS,
    "test_transact_write_items.py::test_an_index_key_of_the_wrong_type_cancels_all[put]": WORDS,
    "test_transact_write_items.py::test_an_index_key_of_the_wrong_type_cancels_all[update]": WORDS,
    "test_transact_write_items.py::test_an_index_key_of_the_wrong_type_cancels_all[key]": (
        "There are no reasons for the actions after it."
    ),
    "test_transact_write_items.py::test_an_update_that_only_takes_away_makes_no_item": (
        "It makes one."
    ),
    "test_transact_write_items.py::test_a_repetition_costs_reading": NO_KIND,
    "test_transact_write_items.py::test_item_collections_are_measured_by_table": NO_METRICS,
    "test_transact_write_items.py::test_a_table_may_be_named_by_its_arn": (
        "ARNs are not understood in transactions."
    ),
    "test_streams.py::test_what_is_no_arn_of_a_stream_is_refused": (
        "No such stream is found, and any list may begin there."
    ),
    "test_statements.py::test_the_order_is_that_of_the_sort_key": "InternalFailure.",
    "test_statements.py::test_a_token_is_good_for_its_statement_alone": ACCEPTS,
    "test_statements.py::test_of_a_list_only_what_was_removed_is_shown": WHOLE,
    "test_statement_grammar.py::test_what_cannot_be_read_is_refused_in_the_words_of_the_parser": (
        "The statement follows the colon."
    ),
    "test_statement_grammar.py::test_a_number_out_of_range_is_reported_with_its_position": (
        "No place is told."
    ),
    "test_statement_grammar.py::test_a_function_is_refused_where_it_stands": "No place is told.",
    "test_statement_grammar.py::test_a_test_of_a_type_is_no_statement": WORDS,
    "test_statement_grammar.py::test_branches_that_overlap_are_refused": ACCEPTS,
    "test_statement_grammar.py::test_a_select_reads_at_most_fifty_parts": ACCEPTS,
    "test_statement_grammar.py::test_a_transaction_reports_which_statement_is_wrong": WORDS,
    "test_statement_grammar.py::test_an_index_is_named_in_two_parts": WORDS,
    "test_statement_grammar.py::test_an_index_with_a_key_of_several_attributes_is_not_read": WORDS,
    "test_statement_grammar.py::test_an_index_is_filtered_by_what_it_holds": (
        "What an index does not hold is looked up, in a global one too."
    ),
    "test_statement_grammar.py::test_a_scan_of_an_index_misses_what_it_does_not_hold": (
        "What an index does not hold is looked up, in a global one too."
    ),
    "test_statement_grammar.py::test_a_local_index_fetches_the_rest_at_a_price": (
        "Statements tell no capacity."
    ),
    "test_statement_grammar.py::test_a_repeated_transaction_costs_reading_its_items": (
        "Statements tell no capacity."
    ),
    "test_statement_grammar.py::test_a_batch_reads_by_the_key_and_nothing_else": WORDS,
    "test_transact_get_items.py::test_a_member_of_the_wrong_json_type_is_refused": TYPES,
    "test_transact_get_items.py::test_there_are_1_to_100_items": WORDS,
    "test_transact_get_items.py::test_what_is_missing_is_reported": WORDS,
    "test_transact_get_items.py::test_names_without_a_projection_are_ignored": LOOKS,
    "test_transact_get_items.py::test_a_key_that_does_not_fit_cancels_the_transaction": (
        "Cancelled without reasons."
    ),
    "test_transact_get_items.py::test_what_was_read_is_reported": NO_KIND,
    "test_transact_get_items.py::test_four_megabytes_are_the_most": ACCEPTS,
    "test_expressions.py::test_an_expression_is_text": TYPES,
    "test_expressions.py::test_a_bad_condition_is_refused[reserved]": NO_SIZE,
    "test_expressions.py::test_a_bad_update_is_refused[reserved]": NO_SIZE,
    "test_expressions.py::test_a_bad_projection_is_refused[reserved]": NO_SIZE,
    "test_numbers.py::test_a_number_is_sent_as_text": TYPES,
    "test_numbers.py::test_what_is_no_number_is_refused[arabic]": "Other scripts' digits count.",
    "test_numbers.py::test_sums_are_exact[zero]": "The answer is 0.0.",
    "test_legacy_parameters.py::test_deleting_attributes_of_nothing_makes_no_item": (
        "It makes an item of the key alone."
    ),
    "test_legacy_parameters.py::test_a_put_is_what_is_done_without_an_action": (
        "Nothing is changed."
    ),
    "test_legacy_parameters.py::test_a_sort_key_is_never_unequal": "InternalFailure.",
    "test_limits.py::test_a_long_attribute_name_is_refused_by_legacy_parameters": ACCEPTS,
    "test_limits.py::test_bottomless_nesting_is_refused": "An InternalFailure.",
    "test_limits.py::test_index_keys_have_at_most_2048_bytes": WORDS,
    "test_limits.py::test_sort_keys_of_indexes_have_at_most_1024_bytes": WORDS,
    "test_limits.py::test_an_attribute_name_has_at_most_64_kilobytes": "An InternalFailure.",
    "test_wire.py::test_a_body_that_is_no_json_object_is_refused": "An InternalFailure.",
    "test_wire.py::test_an_unknown_target_is_no_operation": WORDS,
    "test_wire.py::test_a_missing_target_is_no_operation": "An InternalFailure.",
    "test_wire.py::test_an_error_has_its_type_with_a_prefix[missing]": (
        "The table is looked for first."
    ),
    "test_wire.py::test_an_error_has_its_type_with_a_prefix[type]": "An InternalFailure.",
    "test_wire.py::test_the_body_of_a_refusal": "Message has a capital; other words.",
    "test_wire.py::test_the_body_of_a_failed_condition": "Message has a capital.",
    "test_wire.py::test_a_cancelled_transaction_has_a_message_with_a_capital": (
        "The sentence of a reason ends with a full stop."
    ),
    "test_wire.py::test_a_body_that_is_too_large_is_refused": HANGS,
    "test_wire.py::test_what_is_not_http_is_refused[chunk]": "An InternalFailure.",
    "test_wire.py::test_an_answer_has_an_id_and_a_checksum[refusal]": (
        "Refusals have no checksum."
    ),
    "test_wire.py::test_a_connection_is_kept": "Bad JSON is an InternalFailure.",
    "test_wire.py::test_a_compressed_body_is_taken": "It never unpacks anything.",
    "test_wire.py::test_a_body_that_is_not_compressed_as_it_says_is_refused": (
        "It never looks at Content-Encoding."
    ),
    "test_wire.py::test_a_large_answer_is_compressed_if_the_client_takes_it": (
        "It never compresses anything."
    ),
    "test_wire.py::test_a_health_check_is_answered": "MissingAuthenticationToken.",
}
